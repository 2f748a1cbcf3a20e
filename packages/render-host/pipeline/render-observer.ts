import type { RenderStage } from './progress.ts';

/** Is told what a render does, for whoever measures it. */
export interface RenderObserver {
  /** A stage is over, however it ended. */
  stageEnded(stage: RenderStage, seconds: number): void;
  demoDownloaded(bytes: number): void;
  /** A demo that was kept has been used again. */
  demoReused(): void;
  /** All frames of a clip are drawn and encoded. */
  clipEncoded(frames: number, seconds: number): void;
}

export const silentRenderObserver: RenderObserver = {
  stageEnded: () => {},
  demoDownloaded: () => {},
  demoReused: () => {},
  clipEncoded: () => {},
};

/** Times stages: one is over when another begins, or when all are. `now` in milliseconds. */
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
