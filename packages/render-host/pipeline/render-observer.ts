import type { WorkStage } from '#domain/job/job.ts';

/** `prefetch` fetches and reads the demo, `render` does the rest (docs/contract.md 3.1). */
type Phase = 'prefetch' | 'render';

export interface RenderProgress {
  readonly phase: Phase;
  readonly stage: RenderStage;
  /** 0 to 1, of the whole render; never goes back. */
  readonly progress: number;
}

export type RenderStage = Exclude<WorkStage, 'upload'>;

/**
 * The progress at the end of each stage. Recording takes most of the time if the game is recorded, otherwise drawing
 * and encoding frames do.
 */
const STAGES: Readonly<Record<RenderStage, { readonly phase: Phase; readonly to: number }>> = {
  download: { phase: 'prefetch', to: 0.12 },
  decompress: { phase: 'prefetch', to: 0.15 },
  parse: { phase: 'prefetch', to: 0.25 },
  capture: { phase: 'render', to: 0.7 },
  encode: { phase: 'render', to: 0.98 },
  thumbnail: { phase: 'render', to: 1 },
};

/** The progress of a render once the demo is parsed. */
export const PARSED = STAGES.parse.to;

/**
 * Converts fractions of stages to the progress of the whole. Progress never goes back, even if a download starts again.
 */
export function createProgressMeter(
  report: (progress: RenderProgress) => void,
): (stage: RenderStage, fraction: number) => void {
  let reached = 0;
  let from = 0;
  let current: RenderStage = 'download';
  return (stage: RenderStage, fraction: number): void => {
    if (stage !== current) {
      current = stage;
      from = reached;
    }
    const { phase, to } = STAGES[stage];
    reached = Math.max(reached, from + (to - from) * Math.min(1, Math.max(0, fraction)));
    report({ phase, stage, progress: reached });
  };
}

/**
 * The usual size of a demo, for servers that send no length: half of the download counts as done after so many bytes.
 */
const USUAL_BYTES = 100 * 1024 * 1024;

export function downloadFraction(bytes: number, total: number | null): number {
  return total === null ? bytes / (bytes + USUAL_BYTES) : bytes / Math.max(1, total);
}

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
