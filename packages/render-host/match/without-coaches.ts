import { isAlive } from './clutches.ts';
import type { Match, PlayerIndex, Round } from './match.ts';
import { tracksOf } from './track-recorder.ts';

/** Servers kill a coach so close to the end of the freeze time. */
const NEAR_TICKS = 64;
/** The members of a match's lists that name a player. */
const NAMES = ['player', 'by', 'attacker', 'victim', 'assister', 'carrier', 'defusedBy'] as const;
type Naming = { readonly [name in (typeof NAMES)[number]]?: PlayerIndex | null };

/**
 * Returns the match without coaches who join as players of a side, and what names one of them. No round has them alive
 * after its freeze time: the world kills them as it ends, or the server marks them as coaches.
 *
 * @param marked those that the server marks
 */
export function withoutCoaches(match: Match, marked: readonly PlayerIndex[]): Match {
  const { players, recorder, tracks, otherParts } = match;
  const kept = [...players.keys()].filter((player) => !isCoach(match, player, marked.includes(player)));
  if (kept.length === players.length || kept.length === 0) return match;
  const list = <T extends Naming>(entries: readonly T[]): T[] =>
    entries.flatMap((entry) => {
      const named = NAMES.flatMap((name) => {
        const player = entry[name];
        return player == null ? [] : [[name, kept.indexOf(player)] as const];
      });
      return named.some(([, at]) => at < 0) ? [] : [Object.assign({}, entry, Object.fromEntries(named))];
    });
  const indexes = (before: readonly PlayerIndex[]) =>
    before.flatMap((player) => (kept.includes(player) ? [kept.indexOf(player)] : []));
  return {
    ...match,
    players: players.filter((_, player) => kept.includes(player)),
    otherParts: otherParts.map((part) => ({ ...part, players: indexes(part.players) })),
    recorder: recorder === null || !kept.includes(recorder) ? null : kept.indexOf(recorder),
    kills: list(match.kills),
    hurts: list(match.hurts),
    weaponFires: list(match.weaponFires),
    reloads: list(match.reloads),
    blindings: list(match.blindings),
    bombActions: list(match.bombActions),
    outfits: list(match.outfits),
    flights: list(match.flights),
    bombPlaces: list(match.bombPlaces),
    sights: list(match.sights),
    effects: list(match.effects),
    tracks: tracksOf(tracks, kept),
  };
}

function isCoach(match: Match, player: PlayerIndex, isMarked: boolean): boolean {
  const startOf = ({ freezeEndTick, startTick }: Round): number => freezeEndTick ?? startTick;
  const isKilled = match.kills.some(
    ({ attacker, victim, tick }) =>
      attacker === null &&
      victim === player &&
      match.rounds.some((round) => Math.abs(tick - startOf(round)) <= NEAR_TICKS),
  );
  if (!isKilled && !isMarked) return false;
  return match.rounds.every((round) => {
    const until = round.endTick ?? match.lastTick;
    for (let tick = startOf(round) + NEAR_TICKS + 1; tick <= until; tick++)
      if (isAlive(match, player, tick)) return false;
    return true;
  });
}
