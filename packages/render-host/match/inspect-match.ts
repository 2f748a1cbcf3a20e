import { isEnemyKill } from '#scene/match/kills.ts';
import { sideAt } from '#scene/match/sides.ts';
import { endsRound } from './ends-round.ts';
import { findHighlights, type Highlight } from './highlights.ts';
import type { Kill, Match, Player, Round, Team } from './match.ts';

export interface InspectedPlayer extends Pick<Player, 'steamId' | 'name' | 'isBot'> {
  /** The side in the first round that they play; null for a player who never had one. */
  readonly team: Team | null;
  /** Kills that count, and deaths in the same rounds. */
  readonly kills: number;
  readonly deaths: number;
  /** Kills by round number, without rounds of none. */
  readonly killsByRound: ReadonlyMap<number, number>;
}

/** What a request can ask of a demo. */
export interface MatchInspection
  extends Pick<
    Match,
    | 'map'
    | 'gamePatch'
    | 'build'
    | 'tickRate'
    | 'firstTick'
    | 'lastTick'
    | 'complete'
    | 'damage'
    | 'gaps'
    | 'killsLeftOut'
    | 'otherParts'
  > {
  /** Steam id of the only player who can be shown; null if all can. */
  readonly recordedBy: string | null;
  readonly evidence: Match['roundEvidence'];
  /** The players in the order of the match. Kills and highlights name them by position. */
  readonly players: readonly InspectedPlayer[];
  readonly rounds: readonly Round[];
  /** The kills that count, with their circumstances. */
  readonly kills: readonly Kill[];
  /** Those of them that ended their round. */
  readonly endings: ReadonlySet<Kill>;
  /** The best first; only the recording player's if they recorded the demo. */
  readonly highlights: readonly Highlight[];
}

/** Returns what a parsed match offers for clips. */
export function inspectMatch(match: Match): MatchInspection {
  const { map, gamePatch, build, tickRate, firstTick, lastTick, complete, gaps, rounds, recorder } = match;
  const { damage, killsLeftOut, otherParts } = match;
  const kills = match.kills.filter((kill) => kill.round !== null && isEnemyKill(kill));
  const players = match.players.map((player, index): InspectedPlayer => {
    const killsByRound = new Map<number, number>();
    for (const { attacker, round } of kills) {
      if (attacker === index && round !== null) killsByRound.set(round, (killsByRound.get(round) ?? 0) + 1);
    }
    return {
      ...{ steamId: player.steamId, name: player.name, isBot: player.isBot, killsByRound },
      team: firstSide(match, index),
      kills: [...killsByRound.values()].reduce((sum, count) => sum + count, 0),
      deaths: match.kills.filter(({ victim, round }) => victim === index && round !== null).length,
    };
  });
  return {
    ...{ map, gamePatch, build, tickRate, firstTick, lastTick, complete, gaps, rounds, otherParts, kills },
    ...(damage ? { damage } : {}),
    ...(killsLeftOut ? { killsLeftOut } : {}),
    endings: new Set(kills.filter((kill) => endsRound(match, kill))),
    recordedBy: recorder === null ? null : (match.players[recorder]?.steamId ?? null),
    evidence: match.roundEvidence,
    players,
    highlights: findHighlights(match).filter(({ player }) => recorder === null || player === recorder),
  };
}

/** Sides are chosen anew in warm-ups and after knife rounds, so they count only if there is no round. */
function firstSide({ rounds, tracks, lastTick }: Match, player: number): Team | null {
  const live = rounds.map(({ freezeEndTick, startTick, endTick }, at) => ({
    from: freezeEndTick ?? startTick,
    to: endTick ?? rounds[at + 1]?.startTick ?? lastTick,
  }));
  for (const { from, to } of [...live, { from: tracks.firstTick, to: lastTick }]) {
    for (let tick = from; tick <= to; tick++) {
      const side = sideAt(tracks, player, tick);
      if (side !== null) return side;
    }
  }
  return null;
}
