import type { KillSelection } from '../render-order.ts';
import type { PlannableMatch, PlannedShot } from './match.ts';
import { clampTo, playableAround, ticksOf } from './playable-ticks.ts';

/** A dead player sees nothing. */
const MOST_SECONDS_AFTER_DEATH = 1;

/** Adds the victim's view of each kill after the killer's shot (`both`), or replaces that shot by them (`victim`). */
export function withVictims(match: PlannableMatch, selection: KillSelection, shots: PlannedShot[]): PlannedShot[] {
  const { pov, preKillPadding, postKillPadding } = selection;
  if (pov === 'killer') return shots;
  const before = ticksOf(match, preKillPadding);
  const after = ticksOf(match, Math.min(postKillPadding, MOST_SECONDS_AFTER_DEATH));
  return shots.flatMap((shot) => {
    const victims = shot.kills.map((kill) => {
      const window = { startTick: kill.tick - before, endTick: kill.tick + after };
      return { ...shot, ...clampTo(window, playableAround(match, kill.tick)), pov: kill.victim, kills: [kill] };
    });
    return [...(pov === 'both' ? [shot] : []), ...victims.filter(({ startTick, endTick }) => startTick < endTick)];
  });
}
