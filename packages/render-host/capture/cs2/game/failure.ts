import type { CaptureResult } from '../../capture.ts';

type FailureCode = Extract<CaptureResult, { readonly ok: false }>['code'];

/** Ends a recording. Never leaves this folder: the capture turns it into its answer. */
export class RecordingFailure extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, detail: string) {
    super(detail);
    this.name = 'RecordingFailure';
    this.code = code;
  }
}

/** The game itself, or its start, is in trouble: another attempt may go better. */
export function gameTrouble(detail: string): RecordingFailure {
  return new RecordingFailure('cs2_unavailable', detail);
}
