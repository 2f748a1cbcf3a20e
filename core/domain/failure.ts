import { cleanLine } from './clean-text.ts';
import type { AttemptCode } from './error-codes.ts';

/** What a failure goes by, for its client to act on, as in `{ round_asked: 9, rounds: [1, 2] }`. No secrets. */
export type Facts = Readonly<Record<string, Fact | readonly Fact[]>>;
type Fact = string | number | boolean | null;

/** How a step of a job fails. */
export interface Failure<Code extends AttemptCode = AttemptCode> {
  readonly ok: false;
  readonly code: Code;
  /** For operators: what happened, without secrets; one line, for some of it quotes what others made. */
  readonly detail: string;
  readonly facts?: Facts;
}

export function failure<Code extends AttemptCode>(code: Code, detail: string, facts?: Facts): Failure<Code> {
  return { ok: false, code, detail: cleanLine(detail), ...(facts ? { facts } : {}) };
}
