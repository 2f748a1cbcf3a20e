import { createClipClock } from '#scene/frames/clip-clock.ts';
import { sideAt } from '#scene/match/match.ts';
import type { Shot } from '#scene/plan/shot.ts';
import type { Kill, Match } from '../match/match.ts';

/** The moment of a clip that its thumbnail shows. */
export interface Hero {
  readonly shotIndex: number;
  readonly frame: number;
  /** The tick of the frame. */
  readonly tick: number;
  /** The kill of the frame; null for a clip without kills. */
  readonly kill: Kill | null;
  /** The player's kills in the round of that kill that the clip shows. They name the moment. */
  readonly kills: readonly Kill[];
}

/** The most seconds between two kills of one streak. */
const STREAK_SECONDS = 8;
/** How long after the kill the picture is taken: the victim's mark and the feed are visible, and so is the shot. */
const AFTER_KILL_SECONDS = 0.1;

/** The kills of one player in one round, with their longest streak. */
interface Candidate {
  readonly kills: readonly Kill[];
  readonly streak: Streak;
}

interface Streak {
  readonly shotIndex: number;
  readonly kills: readonly Kill[];
}

/**
 * Picks the round with most kills; of equal ones the one with the longest streak, then with most headshots in it, then
 * the quickest. Returns the last kill of that streak, or the middle of a clip without kills. If a shot has the tick
 * `wanted`, returns that tick with the shot's last kill up to it, or else its first kill.
 */
export function findHero(match: Match, shots: readonly Shot[], fps: number, wanted = -1): Hero {
  const clock = createClipClock(shots, match.tickRate, fps);
  const streaks = shots.flatMap((shot, shotIndex) =>
    streaksOf(shot.kills, STREAK_SECONDS * match.tickRate).map((kills): Streak => ({ shotIndex, kills })),
  );
  const byRound = Map.groupBy(streaks, ({ kills: [kill] }) => `${kill?.attacker} ${kill?.round}`);
  const candidates = [...byRound.values()].flatMap((group): Candidate[] => {
    const [streak] = group.toSorted((a, b) => compare(a.kills, b.kills));
    // A timeline may show the same moment twice.
    const kills = [...new Set(group.flatMap((one) => one.kills))].sort((a, b) => a.tick - b.tick);
    return streak === undefined ? [] : [{ streak, kills }];
  });
  const chosen = shotOfTick(shots, wanted);
  const own = shots[chosen]?.kills;
  if (own !== undefined) {
    const kill = own.findLast(({ tick }) => tick <= wanted) ?? own[0];
    const { kills } = candidates.find((one) => one.kills.some((shown) => shown === kill)) ?? { kills: [] };
    return { shotIndex: chosen, frame: clock.frameOf(chosen, wanted), tick: wanted, kill: kill ?? null, kills };
  }
  const [best] = candidates.sort((a, b) => b.kills.length - a.kills.length || compare(a.streak.kills, b.streak.kills));
  const kill = best?.streak.kills.at(-1);
  if (best === undefined || kill === undefined) {
    const frame = clock.frameCount >> 1;
    const { shotIndex, tick } = clock.at(frame);
    return { shotIndex, frame, tick, kill: null, kills: [] };
  }
  const { shotIndex } = best.streak;
  const tick = kill.tick + AFTER_KILL_SECONDS * match.tickRate;
  return { shotIndex, frame: clock.frameOf(shotIndex, tick), tick, kill, kills: best.kills };
}

/** Returns the index of the first shot that shows a tick of the recording; -1 if none does. */
export function shotOfTick(shots: readonly Shot[], tick: number): number {
  return shots.findIndex(({ startTick, endTick }) => startTick <= tick && tick < endTick);
}

function streaksOf(kills: readonly Kill[], maxGap: number): Kill[][] {
  const streaks: Kill[][] = [];
  for (const kill of kills) {
    const current = streaks.at(-1);
    const previous = current?.at(-1);
    if (current !== undefined && previous !== undefined && kill.tick - previous.tick <= maxGap) current.push(kill);
    else streaks.push([kill]);
  }
  return streaks;
}

function compare(a: readonly Kill[], b: readonly Kill[]): number {
  return b.length - a.length || headshots(b) - headshots(a) || span(a) - span(b);
}

function headshots(kills: readonly Kill[]): number {
  return kills.filter(({ headshot }) => headshot).length;
}

function span(kills: readonly Kill[]): number {
  return (kills.at(-1)?.tick ?? 0) - (kills[0]?.tick ?? 0);
}

/**
 * Returns the title: `3K` for several kills, `ACE` if all enemies of a full team fell to the player, the most
 * remarkable circumstance of a single kill, or a title of the map without kills.
 */
export function heroLabel(match: Match, kills: readonly Kill[]): string {
  const [kill] = kills;
  if (kill === undefined) return 'HIGHLIGHT';
  if (isAce(match, kills)) return 'ACE';
  if (kills.length > 1) return `${kills.length}K`;
  if (/knife|bayonet/.test(kill.weapon)) return 'KNIFE';
  if (kill.noScope) return 'NO SCOPE';
  if (kill.wallbang) return 'WALLBANG';
  if (kill.throughSmoke) return 'THROUGH SMOKE';
  return kill.headshot ? 'HEADSHOT' : '1 KILL';
}

const FULL_TEAM = 5;

function isAce(match: Match, kills: readonly Kill[]): boolean {
  const victims = new Set(kills.map(({ victim }) => victim));
  const last = kills.at(-1);
  if (last === undefined || victims.size < FULL_TEAM) return false;
  const enemies = match.players.filter((_, player) => sideAt(match.tracks, player, last.tick) === last.victimTeam);
  return victims.size >= enemies.length;
}
