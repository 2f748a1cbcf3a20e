import { cleanName } from '../../lib/text.ts';
import type { Selection } from '../render-order.ts';
import { planKillShots } from './kill-shots.ts';
import type { PlannableKill, PlannableMatch, PlannedShot, PlanResult, TickSpan } from './match.ts';
import { ticksOf } from './playable-ticks.ts';
import { planTimelineShots } from './timeline-shots.ts';

/** Seconds of the game around a kill in which it is slow, and those of a ramp before and after. */
const SLOW = { before: 0.25, after: 0.35, ramp: 0.35 };

/**
 * Slows a shot around its kills that count, by a ramp from its own speed and back. Where the ramps of two kills meet,
 * the shot stays slow.
 */
export function slowKills(match: PlannableMatch, shot: PlannedShot, slowdown: number | null): PlannedShot {
  const own = shot.speeds[0]?.speed ?? 1;
  const kills = shot.kills.filter(({ round }) => round !== null);
  if (slowdown === null || slowdown >= own || kills.length === 0) return shot;
  const ramp = Math.max(1, ticksOf(match, SLOW.ramp));
  const slow: TickSpan[] = [];
  for (const { tick } of kills) {
    const startTick = tick - ticksOf(match, SLOW.before);
    const meets = startTick - ramp <= (slow.at(-1)?.endTick ?? -Infinity) + ramp ? slow.pop() : undefined;
    slow.push({ startTick: meets?.startTick ?? startTick, endTick: tick + ticksOf(match, SLOW.after) });
  }
  const speeds = slow.flatMap(({ startTick, endTick }) => [
    { tick: startTick - ramp, speed: own },
    { tick: startTick, speed: slowdown },
    { tick: endTick, speed: slowdown },
    { tick: endTick + ramp, speed: own },
  ]);
  return { ...shot, speeds };
}

/**
 * Decides which parts of a match a clip shows, in the order of the clip (docs/contract.md 4.1): its cut list. Pure.
 *
 * Fails with `player_not_in_demo`; with `pov_only` for the view of another player than the demo's recorder; with
 * `no_kills_found` (round mode); with `segment_not_in_demo` for a timeline segment that is completely outside the demo.
 */
export function planSelection<Kill extends PlannableKill>(
  match: PlannableMatch<Kill>,
  selection: Selection,
): PlanResult<Kill> {
  const plan = selection.mode === 'round' ? planKillShots(match, selection) : planTimelineShots(match, selection);
  if (!plan.ok)
    return match.otherParts.length > 0 ? { ...plan, facts: { ...plan.facts, other_parts: partsOf(match) } } : plan;
  const shots = plan.shots.map((shot) => slowKills(match, shot, selection.killSlowdown));
  // As many shots as before, with kills of the match.
  return { ok: true, shots } as unknown as PlanResult<Kill>;
}

/** Code points of a fact, and of a name in it. */
const MOST = { parts: 20, text: 200, name: 16 };

/** Describes the parts of the demo that are not the match. A client may have asked for one of them. */
function partsOf({ otherParts, players }: PlannableMatch): string[] {
  return otherParts.slice(0, MOST.parts).map(({ startTick, endTick, rounds, players: who }) => {
    const names = who.map((player) => cleanName(players[player]?.name ?? '', MOST.name)).join(', ');
    return cleanName(
      `ticks ${startTick} to ${endTick}, ${rounds} ${rounds === 1 ? 'round' : 'rounds'} of ${names}`,
      MOST.text,
    );
  });
}
