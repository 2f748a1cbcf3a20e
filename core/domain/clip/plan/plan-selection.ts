import { cleanName } from '../../lib/clean-text.ts';
import type { Selection } from '../render-order.ts';
import { planKillShots } from './kill-shots.ts';
import type { PlannableKill, PlannableMatch, PlanResult } from './match.ts';
import { slowKills } from './slow-kills.ts';
import { planTimelineShots } from './timeline-shots.ts';

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
