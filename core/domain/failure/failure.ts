import { cleanLine } from '../lib/clean-text.ts';
import type { AttemptCode } from './codes.ts';

/** Details of a failure that its client can act on, as in `{ round_asked: 9, rounds: [1, 2] }`. No secrets. */
export type Facts = Readonly<Record<string, Fact | readonly Fact[]>>;
type Fact = string | number | boolean | null;

/** The failure of a step of a job. */
export interface Failure<Code extends AttemptCode = AttemptCode> {
  readonly ok: false;
  readonly code: Code;
  /** For operators: what happened, without secrets, on one line because parts of it are quoted. */
  readonly detail: string;
  readonly facts?: Facts;
}

export function failure<Code extends AttemptCode>(code: Code, detail: string, facts?: Facts): Failure<Code> {
  return { ok: false, code, detail: cleanLine(detail), ...(facts ? { facts } : {}) };
}
