import { createClipClock } from '../capture/clip-clock.ts';
import type { Kill, Match } from '../match/match.ts';
import type { Shot } from '../plan/shot.ts';

/** The moment of a clip that stands for all of it. */
export interface Hero {
  readonly shotIndex: number;
  readonly frame: number;
  /** The kills the moment crowns, last one last; empty for a clip without a kill. */
  readonly kills: readonly Kill[];
}

/** Kills at most this far apart are one streak, in seconds. */
const STREAK_SECONDS = 8;
/** How long after the kill the picture is taken: the victim's mark and the feed are up, the shot is still in the air. */
const AFTER_KILL_SECONDS = 0.1;

/**
 * Picks the last kill of the clip's longest streak, of streaks as long the one with most headshots, of those the quickest. A clip without a kill is
 * stood for by its middle.
 */
export function findHero(match: Match, shots: readonly Shot[], fps: number): Hero {
  const clock = createClipClock(shots, match.tickRate, fps);
  const streaks = shots.flatMap((shot, shotIndex) =>
    streaksOf(shot.kills, STREAK_SECONDS * match.tickRate).map((kills) => ({ shotIndex, kills })),
  );
  const [best] = streaks.sort((a, b) => compare(a.kills, b.kills));
  const last = best?.kills.at(-1);
  if (best === undefined || last === undefined) {
    return { shotIndex: clock.at(clock.frameCount >> 1).shotIndex, frame: clock.frameCount >> 1, kills: [] };
  }
  const frame = clock.frameOf(best.shotIndex, last.tick + AFTER_KILL_SECONDS * match.tickRate);
  return { ...best, frame };
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
 * What to call it: `ACE` for five or more, `3K` for more than one; for a single kill what is most remarkable about it; the
 * map's moment without one.
 */
export function heroLabel(kills: readonly Kill[]): string {
  const [kill] = kills;
  if (kill === undefined) return 'HIGHLIGHT';
  if (kills.length >= 5) return 'ACE';
  if (kills.length > 1) return `${kills.length}K`;
  if (/knife|bayonet/.test(kill.weapon)) return 'KNIFE';
  if (kill.noScope) return 'NO SCOPE';
  if (kill.wallbang) return 'WALLBANG';
  if (kill.throughSmoke) return 'THROUGH SMOKE';
  return kill.headshot ? 'HEADSHOT' : '1 KILL';
}
