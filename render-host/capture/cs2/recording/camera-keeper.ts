import type { GameState } from '../game/game-state.ts';

/**
 * How a take went: the camera was on the player throughout; left him for a time; never was on him; nothing was
 * reported.
 */
export type CameraVerdict = 'held' | 'drifted' | 'missed' | 'unreported';

/** Whom the camera showed in the player's stead, null for nobody, and for how many ticks at least. */
export interface Drift {
  readonly steamId: string | null;
  readonly ticks: number;
}

/** Keeps the game's camera on one player during a take, and remembers whether it was. */
export interface CameraKeeper {
  /** The camera has been set: from now on, who is shown counts. */
  aimed(): void;
  /** The recorder runs: from now on, a wrong player is in the picture. Reports lag, so they count until `finish`. */
  recording(tick: number): void;
  /** Playback has reached this tick. */
  at(tick: number): void;
  /** Resolves at the first report since the camera was set. */
  readonly reported: Promise<void>;
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
 * answered by setting the camera again, and spoils the take: the game reports every change.
 */
export function keepCamera(gameState: GameState, send: (command: string) => void, target: CameraTarget): CameraKeeper {
  const first = Promise.withResolvers<void>();
  const drifts: { steamId: string | null; from: number; to: number }[] = [];
  let state: 'before' | 'aimed' | 'recording' | 'over' = 'before';
  let tick: number | null = null;
  let shown: string | null | undefined;
  let open = false;
  let hits = 0;

  const judge = (): void => {
    const isWrong = shown !== target.steamId && (tick === null || target.isAlive(tick));
    if (shown === target.steamId) hits++;
    const last = drifts.at(-1);
    if (open && last !== undefined) last.to = tick ?? last.to;
    open = isWrong && state === 'recording';
    if (open && shown !== undefined) drifts.push({ steamId: shown, from: tick ?? 0, to: tick ?? 0 });
    if (isWrong) target.commands.forEach(send);
  };
  const unsubscribe = gameState.onReport((steamId) => {
    if (state === 'before') return;
    shown = steamId;
    first.resolve();
    judge();
  });
  return {
    reported: first.promise,
    aimed() {
      state = 'aimed';
    },
    recording(now) {
      state = 'recording';
      tick = now;
      // What was last reported still holds: the game reports changes, and else once a second.
      if (shown !== undefined && shown !== target.steamId) judge();
    },
    at(now) {
      tick = now;
    },
    finish() {
      state = 'over';
      unsubscribe();
      const found = drifts.map(({ steamId, from, to }) => ({ steamId, ticks: Math.max(1, to - from) }));
      if (shown === undefined) return { verdict: 'unreported', drifts: found };
      if (hits === 0) return { verdict: 'missed', drifts: found };
      return { verdict: drifts.length > 0 ? 'drifted' : 'held', drifts: found };
    },
  };
}
