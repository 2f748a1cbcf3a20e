import type { WorkStage } from '#domain/job.ts';

/** Where a render is: `prefetch` fetches the demo and reads it, `render` does the rest (docs/contract.md 3.1). */
type Phase = 'prefetch' | 'render';

export interface RenderProgress {
  readonly phase: Phase;
  readonly stage: RenderStage;
  /** 0 to 1, of the whole render; never goes back. */
  readonly progress: number;
}

export type RenderStage = Exclude<WorkStage, 'upload'>;

/**
 * Where each stage ends; it begins where the one before it left off. Recording the game takes most of the time where
 * the game is recorded, drawing and encoding frames nearly all of it elsewhere.
 */
const STAGES: Readonly<Record<RenderStage, { readonly phase: Phase; readonly to: number }>> = {
  download: { phase: 'prefetch', to: 0.12 },
  decompress: { phase: 'prefetch', to: 0.15 },
  parse: { phase: 'prefetch', to: 0.25 },
  capture: { phase: 'render', to: 0.7 },
  encode: { phase: 'render', to: 0.98 },
  thumbnail: { phase: 'render', to: 1 },
};

/** How far a render is once the demo is read. */
export const PARSED = STAGES.parse.to;

/** Turns fractions of stages into the progress of the whole. A download that starts over does not go back. */
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

/** A demo's usual size, for servers that do not tell: bytes after which half of the download counts as done. */
const USUAL_BYTES = 100 * 1024 * 1024;

export function downloadFraction(bytes: number, total: number | null): number {
  return total === null ? bytes / (bytes + USUAL_BYTES) : bytes / Math.max(1, total);
}
