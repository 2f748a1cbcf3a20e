/** Where a render is: `prefetch` fetches and unpacks the demo, `render` does everything else (spec 3.1). */
type Phase = 'prefetch' | 'render';

export interface RenderProgress {
  readonly phase: Phase;
  /** 0 to 1, of the whole render; never goes back. */
  readonly progress: number;
}

export type Stage = 'download' | 'decompress' | 'parse' | 'encode' | 'thumbnail';

/** Where each stage begins; it ends where the next begins. Drawing and encoding frames take nearly all the time. */
const STAGES: Readonly<Record<Stage, { readonly phase: Phase; readonly from: number; readonly to: number }>> = {
  download: { phase: 'prefetch', from: 0, to: 0.12 },
  decompress: { phase: 'prefetch', from: 0.12, to: 0.15 },
  parse: { phase: 'render', from: 0.15, to: 0.25 },
  encode: { phase: 'render', from: 0.25, to: 0.98 },
  thumbnail: { phase: 'render', from: 0.98, to: 1 },
};

/** Turns fractions of stages into the progress of the whole. A download that starts over does not go back. */
export function createProgressMeter(report: (progress: RenderProgress) => void) {
  let reached = 0;
  return (stage: Stage, fraction: number): void => {
    const { phase, from, to } = STAGES[stage];
    reached = Math.max(reached, from + (to - from) * Math.min(1, Math.max(0, fraction)));
    report({ phase, progress: reached });
  };
}

/** A demo's usual size, for servers that do not tell: bytes after which half of the download counts as done. */
const USUAL_BYTES = 100 * 1024 * 1024;

export function downloadFraction(bytes: number, total: number | null): number {
  return total === null ? bytes / (bytes + USUAL_BYTES) : bytes / Math.max(1, total);
}
