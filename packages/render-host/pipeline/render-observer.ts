import type { RenderStage } from './progress.ts';

/** Receives what a render does, for metrics. */
export interface RenderObserver {
  /** A stage has ended, with or without an error. */
  stageEnded(stage: RenderStage, seconds: number): void;
  demoDownloaded(bytes: number): void;
  /** A cached demo was used. */
  demoReused(): void;
  /** All frames of a clip are encoded. */
  clipEncoded(frames: number, seconds: number): void;
}

export const silentRenderObserver: RenderObserver = {
  stageEnded: () => {},
  demoDownloaded: () => {},
  demoReused: () => {},
  clipEncoded: () => {},
};

/** Measures stages. A stage ends when another begins, or when all have ended. `now` in milliseconds. */
export function createStageClock(
  ended: RenderObserver['stageEnded'],
  now: () => number,
): { enter(stage: RenderStage): void; end(): void } {
  let current: { readonly stage: RenderStage; readonly since: number } | null = null;
  const end = (): void => {
    if (current !== null) ended(current.stage, (now() - current.since) / 1000);
    current = null;
  };
  return {
    enter(stage: RenderStage): void {
      if (current?.stage === stage) return;
      end();
      current = { stage, since: now() };
    },
    end,
  };
}
