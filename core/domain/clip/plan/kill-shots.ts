import { failure } from '#domain/failure/codes.ts';
import type { KillSelection } from '../render-order.ts';
import { findPov, type PlannableKill, type PlannableMatch, type PlannedShot, type PlanResult } from './match.ts';
import { noKillsDetail, noKillsFacts } from './no-kills-detail.ts';
import { clampTo, playableAround, ticksOf } from './playable-ticks.ts';

/** A dead player sees nothing. */
const MOST_SECONDS_AFTER_DEATH = 1;

/** Adds the victim's view of each kill after the killer's shot (`both`), or replaces that shot by them (`victim`). */
function withVictims(match: PlannableMatch, selection: KillSelection, shots: PlannedShot[]): PlannedShot[] {
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

/** How long the announcement of a win is shown, even if the game shows it longer. */
const WIN_ANNOUNCEMENT_SECONDS = 5;

/** The game closes the demo at its last tick, so an extension ends before it. */
const SPARE_SECONDS_AT_END = 3;

type Round = PlannableMatch['rounds'][number];

/**
 * Plans a player's kills (docs/contract.md 4.1): each from `preKillPadding` seconds before to `postKillPadding` seconds
 * after. Windows of one round that are at most `mergeGap` apart become one shot. If a kill of the player ended the
 * round, its shot continues over the announcement of the win. Suicides, team kills and warm-up kills do not count.
 * Shots of the killer are in tick order and never overlap. A recorder's demo has only their own view.
 */
export function planKillShots(match: PlannableMatch, selection: KillSelection): PlanResult {
  const player = findPov(selection.pov === 'victim' ? { ...match, recorder: null } : match, selection.steam64Id);
  if (typeof player !== 'number') return player;
  const asked = match.kills.filter(
    ({ attacker, round }) => attacker === player && round !== null && round === (selection.round ?? round),
  );
  const byRound = Map.groupBy(asked, (kill) => kill.round);
  const shots: PlannedShot[] = [];
  for (const [number, kills] of byRound) {
    const round = match.rounds.find((candidate) => candidate.number === number);
    separate(shots, roundShots(match, selection, player, round, kills), round);
  }
  const views = withVictims(match, selection, shots);
  const povs = views.map(({ pov }) => findPov(match, match.players[pov]?.steamId ?? ''));
  const hidden = povs.find((pov) => typeof pov !== 'number');
  if (hidden !== undefined) return hidden;
  const [first, ...rest] = views;
  return first === undefined
    ? failure('no_kills_found', noKillsDetail(match, player, selection), noKillsFacts(match, player, selection))
    : { ok: true, shots: [first, ...rest] };
}

/** Returns the shots of one round's kills, in tick order. */
function roundShots(
  match: PlannableMatch,
  selection: KillSelection,
  pov: number,
  round: Round | undefined,
  kills: readonly PlannableKill[],
): PlannedShot[] {
  const before = ticksOf(match, selection.preKillPadding);
  const after = ticksOf(match, selection.postKillPadding);
  const most = ticksOf(match, selection.mergeGap);
  const shots: PlannedShot[] = [];
  for (const kill of kills) {
    const wanted = Math.max(kill.tick + after, announcementEnd(match, round, kill));
    const window = { startTick: kill.tick - before, endTick: wanted };
    const limits = playableAround(match, kill.tick);
    const { startTick, endTick } = clampTo(window, limits);
    const previous = shots.at(-1);
    if (previous && startTick <= previous.endTick + most && limits.startTick <= previous.endTick) {
      const kills = [...previous.kills, kill];
      shots[shots.length - 1] = { ...previous, endTick: Math.max(previous.endTick, endTick), kills };
    } else if (startTick < endTick) {
      shots.push({ pov, subject: pov, startTick, endTick, round: kill.round, kills: [kill], speeds: [] });
    }
  }
  return shots;
}

/** Returns where the shot of a round's win ends; the kill's own tick if this kill did not win the round. */
function announcementEnd(match: PlannableMatch, round: Round | undefined, kill: PlannableKill): number {
  const end = round?.endTick ?? null;
  if (round === undefined || end === null || !match.endsRound(kill)) return kill.tick;
  const wanted = end + ticksOf(match, WIN_ANNOUNCEMENT_SECONDS);
  const nextStart = match.rounds.find(({ number }) => number === round.number + 1)?.startTick ?? wanted;
  const announced = Math.min(wanted, round.officialEndTick ?? nextStart);
  return Math.min(announced, match.lastTick - ticksOf(match, SPARE_SECONDS_AT_END));
}

/**
 * Adds the shots of a later round. Long padding of an early kill can reach into the round before. Such a pair is cut at
 * the start of the round, so that no moment is shown twice and each round has its own shot.
 */
function separate(shots: PlannedShot[], later: readonly PlannedShot[], round: Round | undefined): void {
  const previous = shots.at(-1);
  const [next, ...rest] = later;
  if (next === undefined) return;
  if (previous === undefined || next.startTick >= previous.endTick) {
    shots.push(...later);
    return;
  }
  const { endTick } = previous;
  const border = Math.min(Math.max(round?.startTick ?? endTick, next.startTick), endTick);
  shots[shots.length - 1] = { ...previous, endTick: border };
  shots.push({ ...next, startTick: border }, ...rest);
}
