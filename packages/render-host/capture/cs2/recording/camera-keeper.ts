import type { GameState } from '../game/game-state.ts';

/** How a take went: the camera was on the player throughout; left him for a time; never was on him. */
export type CameraVerdict = 'held' | 'drifted' | 'missed';

/** Whom the camera showed in the player's stead, null for nobody, and for how many ticks at least. */
export interface Drift {
  readonly steamId: string | null;
  readonly ticks: number;
}

/** Keeps the game's camera on one player during a take, and remembers whether it was. */
export interface CameraKeeper {
  /** Resolves once the game has reported him. What it reports then, until the take is over, was seen in the take. */
  readonly found: Promise<void>;
  /** Whether anything was reported at all. */
  isReported(): boolean;
  /** Playback has reached this tick. */
  at(tick: number): void;
  /**
   * The take was over in that second. Reports lag, so they count until one is from a later second, and this resolves.
   */
  over(second: number): Promise<void>;
  /** The verdict; from then on the camera is left alone. */
  finish(): { readonly verdict: CameraVerdict; readonly drifts: readonly Drift[] };
}

export interface CameraTarget {
  readonly steamId: string;
  /** The commands that put the camera on him. */
  readonly commands: readonly string[];
  /** Whether he is alive around a tick. A dead player has no view: the game then shows somebody else, and rightly. */
  readonly isAlive: (tick: number) => boolean;
}

/**
 * The camera drifts: the most reported fault of every recorder. Each report of another player while the target lives is
 * answered by setting the camera again, and spoils the take: the game reports every change. Reports and console come by
 * two ways and overtake each other, so whether one counts goes by the reports alone; the ticks are estimates.
 * `isAimed`: the camera has long been told, and somebody else counts also before the first report of the player.
 * `after`: what is reported of this second and those before it was seen before the camera was set, and counts for
 * nothing: it may come late, and say that the camera is on the player, by chance, and then that it is not.
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
      const seen = drifts.map(({ steamId, from, to }) => ({ steamId, ticks: Math.max(1, to - from) }));
      return { verdict: seen.length > 0 ? 'drifted' : isFound ? 'held' : 'missed', drifts: seen };
    },
  };
}
