import { canBeShown, isPerson, type Player } from '#protocol/demo/demo-filter.ts';
import type { DemoMatch } from '../demo/demos.ts';
import type { Rule } from './rules.ts';

/** What a rule does with an inspected demo. */

/** The moments of a clip, in the fields of a submit. */
type RuleMoment = Partial<DemoMatch['highlights'][number]['request']>;

/** Returns why a rule does not act on a demo; null if it does. */
export function mismatchOf({ maps, players }: Rule['when'], match: DemoMatch): string | null {
  if (maps && !maps.includes(match.map)) return `its map is ${match.map}`;
  const isNamed = (player: Player) => isPerson(player) && players?.includes(player.steam64_id);
  return players && !match.players.some(isNamed) ? "none of the rule's players is in it" : null;
}

/**
 * Returns the moments that a rule renders, in the order of the submits: the best first, for `kills` the players with
 * the most kills. Has no moment twice, and no player who cannot be shown.
 */
export function momentsOf(render: Rule['render'], match: DemoMatch): RuleMoment[] {
  const { what, limit = what === 'highlights' ? 3 : 10, kinds, players, team } = render;
  const isShown = (player: Player): boolean =>
    canBeShown(match, player) && (!players || players.includes(player.steam64_id)) && (!team || team === player.team);
  const found = new Map<string, RuleMoment>();
  if (what === 'kills') {
    const killers = match.players.filter((player) => isShown(player) && player.kills > 0);
    for (const { steam64_id } of killers.sort((a, b) => b.kills - a.kills)) found.set(steam64_id, { steam64_id });
  }
  for (const { player: at, round, kinds: has, request } of what === 'kills' ? [] : match.highlights) {
    const player = match.players[at];
    if (!player || !isShown(player) || (kinds && !kinds.some((kind) => has.includes(kind)))) continue;
    const name = what === 'best_of_each' ? player.steam64_id : `${player.steam64_id} ${round}`;
    if (!found.has(name)) found.set(name, request);
  }
  return [...found.values()].slice(0, limit);
}
