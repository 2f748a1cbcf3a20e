import { playerAt, shortTurn } from '#scene/match/player-state.ts';
import type { Shot } from '#scene/plan/shot.ts';
import type { Match } from '../../../match/match.ts';

/** `unjudged`: no kill had a time in which a notice can be distinguished from the view behind it. */
export type KillfeedVerdict = 'seen' | 'missing' | 'unjudged';

/** Looks at the frames of one shot in turn. */
export interface KillfeedWatch {
  /** `frame` is RGBA. */
  look(frame: Uint8Array, index: number): void;
  verdict(): KillfeedVerdict;
}

export interface WatchedShot {
  readonly match: Match;
  /** In real time. */
  readonly shot: Shot;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
}

/**
 * Where the game draws its killfeed, as parts of the picture: 72 pixels below the top and 10 from the right side of
 * 1080 lines, with 36 for each notice, times `hud_scaling` of 0.9 to 1.1 (`huddeathnotice.css` and `convars.txt` of
 * SteamDatabase/GameTracking-CS2). Names are cut at 160 pixels. The rest is room for a new layout.
 */
const REGION = { left: 0.5, top: 0.03, bottom: 0.45 } as const;
/** Seconds from a kill: half a second before it, and windows of it afterwards. A notice appears within 0.2 s. */
const BEFORE = { from: -0.6, to: -0.1 } as const;
const AFTER = { starts: [0.4, 0.65, 0.9, 1.15, 1.4], seconds: 0.5 } as const;
/** The ages in seconds at which an older notice may go. Those below it then move up, and are not still. */
const ENDS = [5, 6, 7.5, 8.5] as const;
const MOVE = { early: 0.1, late: 0.4 } as const;
/** A view that turns so many degrees moves all that is not part of the HUD. */
const TURN = 4;
/** The frames at each end of a window in which a turn does not count: a film may begin a frame early or late. */
const UNSURE_FRAMES = 3;
/** The least difference of green (0 to 255) between a pixel and the one two to its right that is an edge. */
const EDGE = 32;
const REACH = 2;
/** The edges of the smallest notice, of 1080 lines. Names, a weapon and a frame have over 1,000. */
const LEAST_EDGES = 80;

/** Frames, and how often each pixel of the region was a bright (+1) or a dark (-1) edge in them. */
interface Window {
  readonly first: number;
  readonly last: number;
  readonly edges: Int8Array;
}

interface Notice {
  readonly before: Window;
  readonly after: readonly Window[];
}

/**
 * Watches for the notices of the player's kills. A notice is still while the view turns, so after the kill it adds
 * edges that stay at their pixels. Only times are judged in which the demo has the view turn, and in which no older
 * notice goes. One notice that is seen is enough: an update must not fail because of a single one.
 */
export function watchKillfeed({ match, shot, width, height, fps }: WatchedShot): KillfeedWatch {
  const left = Math.floor(width * REGION.left);
  const top = Math.floor(height * REGION.top);
  const columns = width - left - REACH;
  const rows = Math.floor(height * REGION.bottom) - top;
  const signs = new Int8Array(columns * rows);
  const frames = Math.round(((shot.endTick - shot.startTick) / match.tickRate) * fps);
  const tickOf = (frame: number): number => shot.startTick + (frame / fps) * match.tickRate;

  /** Returns the frames between two times after a tick; null if the shot has not all of them. */
  const windowOf = (tick: number, from: number, to: number): Window | null => {
    const zero = ((tick - shot.startTick) / match.tickRate) * fps;
    const [first, last] = [Math.ceil(zero + from * fps), Math.floor(zero + to * fps)];
    if (first < 0 || last >= frames || last <= first) return null;
    return { first, last, edges: new Int8Array(signs.length) };
  };
  const yawAt = (frame: number): number | null => {
    const state = playerAt(match, shot.pov, tickOf(frame));
    return state?.alive ? state.yaw : null;
  };
  const turns = ({ first, last }: Window): boolean => {
    const [from, to] = [yawAt(first + UNSURE_FRAMES), yawAt(last - UNSURE_FRAMES)];
    return from !== null && to !== null && Math.abs(shortTurn(from, to)) >= TURN;
  };
  const mayMove = ({ first, last }: Window): boolean =>
    match.kills.some(({ tick }) => {
      const [from, to] = [first, last].map((frame) => (tickOf(frame) - tick) / match.tickRate) as [number, number];
      return ENDS.some((age) => age + MOVE.late >= from && age - MOVE.early <= to);
    });
  const notices = shot.kills.flatMap(({ tick }): Notice[] => {
    const before = windowOf(tick, BEFORE.from, BEFORE.to);
    const after: Window[] = [];
    for (const from of AFTER.starts) {
      const window = windowOf(tick, from, from + AFTER.seconds);
      if (window !== null && turns(window) && !mayMove(window)) after.push(window);
    }
    return before === null || after.length === 0 ? [] : [{ before, after }];
  });

  const readEdges = (frame: Uint8Array): void => {
    for (let y = 0, i = 0; y < rows; y++) {
      let at = ((top + y) * width + left) * 4 + 1;
      for (let x = 0; x < columns; x++, i++, at += 4) {
        const step = (frame[at + 4 * REACH] ?? 0) - (frame[at] ?? 0);
        signs[i] = step > EDGE ? 1 : step < -EDGE ? -1 : 0;
      }
    }
  };
  /** Whether a window has enough edges that are in each of its frames and were not there before. */
  const shows = ({ first, last, edges }: Window, before: Window): boolean => {
    const least = (LEAST_EDGES * height) / 1080;
    const often = (before.last - before.first + 1) / 2;
    let found = 0;
    for (let i = 0; i < edges.length; i++) {
      const sum = edges[i] ?? 0;
      if (Math.abs(sum) === last - first + 1 && (before.edges[i] ?? 0) * Math.sign(sum) < often) found++;
    }
    return found >= least;
  };

  return {
    look(frame, index) {
      const open = notices
        .flatMap(({ before, after }) => [before, ...after])
        .filter(({ first, last }) => index >= first && index <= last);
      if (open.length === 0) return;
      readEdges(frame);
      for (const { edges } of open) for (let i = 0; i < edges.length; i++) edges[i] = (edges[i] ?? 0) + (signs[i] ?? 0);
    },
    verdict() {
      if (notices.length === 0) return 'unjudged';
      return notices.some(({ before, after }) => after.some((window) => shows(window, before))) ? 'seen' : 'missing';
    },
  };
}
