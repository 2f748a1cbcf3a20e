import type { GameState } from '../game/game-state.ts';

/** How a take went: the camera was on the player throughout, left them for a time, or never was on them. */
export type CameraVerdict = 'held' | 'drifted' | 'missed';

/** Whom the camera showed instead of the player (null for nobody), and for how many ticks at least. */
export interface Drift {
  readonly steamId: string | null;
  readonly ticks: number;
}

/** Keeps the game's camera on one player during a take, and records whether it was. */
export interface CameraKeeper {
  /** Resolves once the game has reported the player. Later reports are of the take. */
  readonly found: Promise<void>;
  /** Whether the game has reported anybody. */
  isReported(): boolean;
  /** Playback has reached this tick. */
  at(tick: number): void;
  /**
   * The take ended in that second. Reports are late, so they count until one is of a later second. Then this resolves.
   */
  over(second: number): Promise<void>;
  /** Returns the verdict. The camera is not set any more. */
  finish(): { readonly verdict: CameraVerdict; readonly drifts: readonly Drift[] };
}

export interface CameraTarget {
  readonly steamId: string;
  /** The commands that put the camera on the player. */
  readonly commands: readonly string[];
  /** Whether the player is alive around a tick. A dead player has no view, so the game rightly shows another one. */
  readonly isAlive: (tick: number) => boolean;
  /** The ticks that playback may be ahead of the last known one. */
  readonly lead: number;
}

/**
 * Keeps the camera on the player: cameras that drift are the most reported fault of all recorders. Each report of
 * another player, while the target lives, sets the camera again and makes the take faulty, because the game reports
 * each change. Reports and console lines come by two ways and overtake each other, so only reports decide; ticks are
 * estimates. A report of another player that precedes the tick of the target's death is like one of a drift; but after
 * a drift the target is reported again.
 *
 * `isAimed`: the camera was set long ago, so other players count even before the first report of the target. `after`:
 * reports of this second and earlier ones are from before the camera was set, and do not count, however late they come.
 */
export function keepCamera(
  gameState: Pick<GameState, 'onReport'>,
  send: (command: string) => void,
  target: CameraTarget,
  startTick: number,
  { isAimed = false, after = -Infinity }: { readonly isAimed?: boolean; readonly after?: number | undefined } = {},
): CameraKeeper {
  const found = Promise.withResolvers<void>();
  const caughtUp = Promise.withResolvers<void>();
  const drifts: { steamId: string | null; from: number; to: number }[] = [];
  let tick = startTick;
  let overAt = Infinity;
  let isReported = false;
  let isFound = false;
  let isDrifting = false;
  /** The drifts after which the target was reported. */
  let ended = 0;

  const unsubscribe = gameState.onReport((steamId, second) => {
    isReported = true;
    if (second !== null && second <= after) return;
    if (second !== null && second > overAt) {
      caughtUp.resolve();
      return;
    }
    const last = isDrifting ? drifts.at(-1) : undefined;
    if (last !== undefined) last.to = tick;
    isDrifting = false;
    if (steamId === target.steamId) {
      isFound = true;
      ended = drifts.length;
      found.resolve();
    } else if (target.isAlive(tick)) {
      target.commands.forEach(send);
      isDrifting = isFound || isAimed;
      if (isDrifting && last?.steamId !== steamId) drifts.push({ steamId, from: tick, to: tick });
    }
  });
  return {
    found: found.promise,
    isReported: () => isReported,
    at(now) {
      tick = now;
    },
    over(second) {
      overAt = second;
      return caughtUp.promise;
    },
    finish() {
      unsubscribe();
      const counted = drifts.filter(({ from }, index) => index < ended || target.isAlive(from + target.lead));
      const seen = counted.map(({ steamId, from, to }) => ({ steamId, ticks: Math.max(1, to - from) }));
      return { verdict: seen.length > 0 ? 'drifted' : isFound ? 'held' : 'missed', drifts: seen };
    },
  };
}
