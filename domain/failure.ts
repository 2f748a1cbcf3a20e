import { cleanLine } from './clean-text.ts';
import type { ErrorCode } from './error-codes.ts';

/** How a step of a job fails. */
export interface Failure<Code extends ErrorCode = ErrorCode> {
  readonly ok: false;
  readonly code: Code;
  /** For operators: what happened, without secrets; one line, for some of it quotes what others made. */
  readonly detail: string;
}

export function failure<Code extends ErrorCode>(code: Code, detail: string): Failure<Code> {
  return { ok: false, code, detail: cleanLine(detail) };
}
