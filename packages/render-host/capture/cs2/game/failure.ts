import type { CaptureResult } from '../../capture.ts';

type FailureCode = Extract<CaptureResult, { readonly ok: false }>['code'];

/** Ends a recording. The capture turns it into its result. */
export class RecordingFailure extends Error {
  readonly code: FailureCode;
  /** Whether the recorder does not fit this build of the game. Then no demo can be recorded. */
  readonly isUnfit: boolean;

  constructor(code: FailureCode, detail: string, isUnfit = false) {
    super(detail);
    this.name = 'RecordingFailure';
    this.code = code;
    this.isUnfit = isUnfit;
  }
}

/** The game failed, or did not start. Another attempt may succeed. */
export function gameFailure(detail: string): RecordingFailure {
  return new RecordingFailure('cs2_unavailable', detail);
}
