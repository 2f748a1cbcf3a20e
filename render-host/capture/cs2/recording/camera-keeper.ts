import type { GameState } from '../game/game-state.ts';

/**
 * How a take went: the camera was on the player throughout; left him for a time; never was on him; nothing was
 * reported.
 */
export type CameraVerdict = 'held' | 'drifted' | 'missed' | 'unreported';

/** Keeps the game's camera on one player during a take, and remembers whether it was. */
export interface CameraKeeper {
  /** The camera has been set: from now on, who is shown counts. */
  aimed(): void;
  /** The recorder runs: from now on, a wrong player is in the picture. */
  recording(): void;
  /** It has stopped: from now on, a wrong player is no matter. */
  recorded(): void;
  /** Playback has reached this tick. */
  at(tick: number): void;
  /** Resolves at the first report since the camera was set. */
  readonly reported: Promise<void>;
  /** The verdict; from then on the camera is left alone. */
  finish(): CameraVerdict;
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
 * answered by setting the camera again.
 */
export function keepCamera(gameState: GameState, send: (command: string) => void, target: CameraTarget): CameraKeeper {
  const first = Promise.withResolvers<void>();
  let state: 'before' | 'aimed' | 'recording' | 'recorded' | 'over' = 'before';
  let tick: number | null = null;
  let shown: 'target' | 'other' | null = null;
  let hits = 0;
  let misses = 0;

  const count = (): void => {
    if (shown === 'target') hits++;
    else if (state === 'recording' && (tick === null || target.isAlive(tick))) misses++;
  };
  gameState.onReport((steamId) => {
    if (state === 'before' || state === 'over') return;
    shown = steamId === target.steamId ? 'target' : 'other';
    first.resolve();
    count();
    const matters = state === 'aimed' || state === 'recording';
    if (matters && shown === 'other' && (tick === null || target.isAlive(tick))) target.commands.forEach(send);
  });
  return {
    reported: first.promise,
    aimed() {
      state = 'aimed';
    },
    recording() {
      state = 'recording';
      // What was last reported still holds: the game reports changes, and else once a second.
      if (shown === 'other') count();
    },
    recorded() {
      state = 'recorded';
    },
    at(now) {
      tick = now;
    },
    finish() {
      state = 'over';
      if (shown === null) return 'unreported';
      if (hits === 0) return 'missed';
      return misses > 0 ? 'drifted' : 'held';
    },
  };
}
