import type { SubmitRequest } from '#protocol/clip/submit.ts';
import { segmentsAround } from '#protocol/demo/segments-around.ts';
import { sideAt } from '#scene/match/match.ts';
import { type Feat, featsOf, type RoundFacts, roundFactsOf } from './feats.ts';
import {
  type Kill,
  type Match,
  type PlayerIndex,
  type Round,
  type Team,
  TRACK_PRESENT,
  TRACK_TEAM_CT,
  TRACK_TEAM_T,
} from './match.ts';

/** What one player did in one round. */
export interface Highlight {
  readonly player: PlayerIndex;
  readonly round: number;
  /** The first and last tick of it, without padding. */
  readonly startTick: number;
  readonly endTick: number;
  readonly kills: readonly Kill[];
  /** The most valuable first. */
  readonly feats: readonly Feat[];
  readonly score: number;
  /** What to submit, without the demo's address. */
  readonly request: Pick<SubmitRequest, 'steam64_id' | 'round' | 'timeline'>;
}

/** What a won round multiplies the score by: one that could end the match, and one won from far behind. */
const WEIGHTS = { matchPoint: 1.25, comeback: 1.15 } as const;
/** Far behind, in rounds. */
const BEHIND = 5;

/**
 * Returns each highlight of a match, the best first; of two equal ones the earlier first. Uses only kills that count.
 */
export function findHighlights(match: Match): readonly Highlight[] {
  return match.rounds
    .map((round) => roundFactsOf(match, round))
    .flatMap((facts) => match.players.flatMap((_, player) => highlightOf(match, facts, player)))
    .sort((a, b) => b.score - a.score || a.startTick - b.startTick);
}

function highlightOf(match: Match, facts: RoundFacts, player: PlayerIndex): Highlight[] {
  const { round, defused, clutch } = facts;
  const feats = featsOf(match, facts, player);
  if (feats.length === 0) return [];
  const own = facts.kills.filter(({ attacker }) => attacker === player);
  const isClutch = clutch?.player === player;
  const isDefuse = defused?.defusedBy === player && (isClutch || feats.some(({ kind }) => kind.endsWith('defuse')));
  const ticks = [...feats.map(({ tick }) => tick), ...own.map(({ tick }) => tick)];
  if (isDefuse) ticks.push(defused.endTick);
  // A clutch without a kill is won by the clock or the bomb.
  else if (isClutch && !own.some(({ tick }) => tick >= clutch.tick)) ticks.push(round.endTick ?? clutch.tick);
  ticks.sort((a, b) => a - b);
  const moments = ticks.map((tick) => ({ startTick: tick, endTick: tick }));
  const sum = feats.reduce((all, { score }) => all + score, 0);
  const steamId = match.players[player]?.steamId ?? '';
  return [
    {
      player,
      round: round.number,
      kills: own,
      feats,
      startTick: ticks[0] ?? 0,
      endTick: ticks.at(-1) ?? 0,
      score: Math.round(sum * weightOf(match, round, player)),
      // The planner shows kills of a round with the announcement of the win.
      request:
        own.length > 0 && !isDefuse
          ? { steam64_id: steamId, round: round.number }
          : { timeline: segmentsAround(match, steamId, moments) },
    },
  ];
}

/** Returns the weight of a round for a player: 1 unless their side won it. */
function weightOf(match: Match, round: Round, player: PlayerIndex): number {
  const { winner, score } = round;
  if (winner === null || score === null || sideAt(match.tracks, player, round.endTick ?? round.startTick) !== winner) {
    return 1;
  }
  const loser: Team = winner === 'T' ? 'CT' : 'T';
  const before = score[winner] - 1;
  const weight = before + BEHIND <= score[loser] ? WEIGHTS.comeback : 1;
  const toWin = roundsToWin(match, before + score[loser]);
  return Math.max(before, score[loser]) + 1 === toWin ? weight * WEIGHTS.matchPoint : weight;
}

/** Returns the rounds that win a match after so many were played; null if the recording lacks the number of rounds. */
function roundsToWin({ matchRounds }: Match, played: number): number | null {
  if (matchRounds === undefined) return null;
  const { regular, overtime } = matchRounds;
  const overtimes = played < regular || overtime <= 0 ? 0 : Math.floor((played - regular) / overtime) + 1;
  return Math.floor((regular + overtimes * overtime) / 2) + 1;
}

/**
 * Returns a match where everybody is an enemy as it is drawn: the players who are shown on one side, all others on the
 * other, whatever team the game has them in. Other matches stay as they are.
 */
export function byEnmity(match: Match, shown: readonly PlayerIndex[]): Match {
  if (match.freeForAll !== true) return match;
  const sideOf = (player: PlayerIndex): Team => (shown.includes(player) ? 'CT' : 'T');
  const { tracks } = match;
  const flags = tracks.flags.slice();
  for (const player of match.players.keys()) {
    const bit = sideOf(player) === 'CT' ? TRACK_TEAM_CT : TRACK_TEAM_T;
    for (let at = player * tracks.length; at < (player + 1) * tracks.length; at++) {
      const now = flags[at] ?? 0;
      if ((now & TRACK_PRESENT) !== 0) flags[at] = (now & ~(TRACK_TEAM_CT | TRACK_TEAM_T)) | bit;
    }
  }
  const kills = match.kills.map((kill) => ({
    ...kill,
    attackerTeam: kill.attacker === null ? null : sideOf(kill.attacker),
    victimTeam: sideOf(kill.victim),
  }));
  // The teams' scores say nothing of these sides.
  const rounds = match.rounds.map((round) => ({ ...round, score: null }));
  return { ...match, rounds, kills, tracks: { ...tracks, flags } };
}
