import { failure } from '#domain/failure.ts';
import type { KillSelection } from '#domain/render-order.ts';
import { isEnemyKill } from '../match/kills.ts';
import type { Kill, Match, PlayerIndex, Round } from '../match/match.ts';
import { findPov } from './find-pov.ts';
import { noKillsDetail, noKillsFacts } from './no-kills-detail.ts';
import type { PlanResult } from './plan-result.ts';
import { clampTo, playableAround, type TickRange, ticksOf } from './playable-ticks.ts';
import type { Shot } from './shot.ts';

/** How long the announcement of a win is shown, even if the game shows it longer. */
const WIN_ANNOUNCEMENT_SECONDS = 5;

/** The game closes the demo at its last tick, so an extension ends before it. */
const SPARE_SECONDS_AT_END = 3;

/**
 * A kill that decides a round ends it within some ticks. After a longer time something else ended it: the clock, the
 * bomb, a defuse. The value is wide, because a few seconds too many of an announcement are the smaller error.
 */
const DECIDED_WITHIN_SECONDS = 1;

/**
 * Plans a player's kills (docs/contract.md 4.1): each from `preKillPadding` seconds before to `postKillPadding` seconds
 * after. Windows of one round that overlap or touch become one shot. If a kill of the player ended the round, its shot
 * continues over the announcement of the win. Suicides, team kills and warm-up kills do not count. Shots are in tick
 * order and never overlap.
 */
export function planKillShots(match: Match, selection: KillSelection): PlanResult {
  const player = findPov(match, selection.steam64Id);
  if (typeof player !== 'number') return player;
  const byRound = Map.groupBy(killsOf(match, player, selection.round), (kill) => kill.round);
  const shots: Shot[] = [];
  for (const [number, kills] of byRound) {
    const round = match.rounds.find((candidate) => candidate.number === number);
    separate(shots, roundShots(match, selection, player, round, kills), round);
  }
  const [first, ...rest] = shots;
  return first === undefined
    ? failure('no_kills_found', noKillsDetail(match, player, selection), noKillsFacts(match, player, selection))
    : { ok: true, shots: [first, ...rest] };
}

function killsOf(match: Match, player: PlayerIndex, round: number | null): Kill[] {
  return match.kills.filter(
    (kill) =>
      kill.attacker === player && kill.round !== null && (round === null || kill.round === round) && isEnemyKill(kill),
  );
}

/** Returns the shots of one round's kills, in tick order. */
function roundShots(
  match: Match,
  selection: KillSelection,
  pov: PlayerIndex,
  round: Round | undefined,
  kills: readonly Kill[],
): Shot[] {
  const before = ticksOf(match, selection.preKillPadding);
  const after = ticksOf(match, selection.postKillPadding);
  const shots: Shot[] = [];
  for (const kill of kills) {
    const end = Math.max(kill.tick + after, announcementEnd(match, round, kill));
    const window = clampTo({ start: kill.tick - before, end }, playableAround(match, kill.tick));
    const previous = shots.at(-1);
    if (previous !== undefined && window.start <= previous.endTick) {
      shots[shots.length - 1] = {
        ...previous,
        endTick: Math.max(previous.endTick, window.end),
        kills: [...previous.kills, kill],
      };
    } else if (window.start < window.end) {
      shots.push({ pov, startTick: window.start, endTick: window.end, round: kill.round, kills: [kill] });
    }
  }
  return shots;
}

/** Returns where the shot of a round's win ends; the kill's own tick if this kill did not win the round. */
function announcementEnd(match: Match, round: Round | undefined, kill: Kill): number {
  const end = round?.endTick ?? null;
  if (round === undefined || end === null || !endsRound(match, round, end, kill)) return kill.tick;
  const wanted = end + ticksOf(match, WIN_ANNOUNCEMENT_SECONDS);
  const nextStart = match.rounds.find(({ number }) => number === round.number + 1)?.startTick ?? wanted;
  const announced = Math.min(wanted, round.officialEndTick ?? nextStart);
  return Math.min(announced, match.lastTick - ticksOf(match, SPARE_SECONDS_AT_END));
}

/** Whether this kill was the last before the round was decided, decided it, and did so for the killer's side. */
function endsRound(match: Match, round: Round, endTick: number, kill: Kill): boolean {
  const decidedWithin = ticksOf(match, DECIDED_WITHIN_SECONDS);
  if (kill.tick > endTick || kill.tick < endTick - decidedWithin) return false;
  if (round.winner !== null && kill.attackerTeam !== null && round.winner !== kill.attackerTeam) return false;
  const lastOfTheLosers = match.kills.findLast(
    (other) => other.round === kill.round && other.tick <= endTick && other.victimTeam === kill.victimTeam,
  );
  return lastOfTheLosers === undefined || lastOfTheLosers.tick <= kill.tick;
}

/**
 * Adds the shots of a later round. Long padding of an early kill can reach into the round before. Such a pair is cut at
 * the start of the round, so that no moment is shown twice and each round has its own shot.
 */
function separate(shots: Shot[], later: readonly Shot[], round: Round | undefined): void {
  const previous = shots.at(-1);
  const [next, ...rest] = later;
  if (next === undefined) return;
  if (previous === undefined || next.startTick >= previous.endTick) {
    shots.push(...later);
    return;
  }
  const overlap: TickRange = { start: next.startTick, end: previous.endTick };
  const border = Math.min(Math.max(round?.startTick ?? overlap.end, overlap.start), overlap.end);
  shots[shots.length - 1] = { ...previous, endTick: border };
  shots.push({ ...next, startTick: border }, ...rest);
}
