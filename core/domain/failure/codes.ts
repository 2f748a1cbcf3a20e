import * as z from 'zod';
import { cleanLine } from '#domain/lib/text.ts';

/**
 * The codes of failed jobs (contract 7.2). `retryable`: another attempt may succeed, so the job is retried while
 * retries are left. The list may grow; clients treat an unknown code as a failure.
 */
export const ERROR_CODES = {
  demo_url_rejected: { retryable: false, meaning: 'The demo URL is not on an accepted domain.' },
  demo_404: { retryable: false, meaning: 'The demo URL answered 404.' },
  demo_incompatible: { retryable: false, meaning: 'The demo cannot be played with the current game build.' },
  player_not_in_demo: { retryable: false, meaning: 'The player did not take part in the recorded match.' },
  pov_only: { retryable: false, meaning: 'The demo is the own recording of one player, who alone can be shown.' },
  no_kills_found: { retryable: false, meaning: 'The player has no kills in what was asked for.' },
  segment_not_in_demo: { retryable: false, meaning: 'A segment of the timeline lies wholly outside of the demo.' },
  clip_too_long: { retryable: false, meaning: 'The clip would be longer, or larger, than what is rendered.' },
  workshop_not_supported: { retryable: false, meaning: 'The demo was recorded on a workshop map.' },
  demo_failed_parse: { retryable: false, meaning: 'The demo is incomplete or corrupted.' },
  decompress_failed: { retryable: false, meaning: 'The demo archive is truncated or corrupted.' },
  download_timeout: { retryable: true, meaning: 'The demo could not be downloaded fast enough.' },
  download_error: { retryable: true, meaning: 'The demo download failed on the network.' },
  cs2_unavailable: { retryable: true, meaning: 'The render machine crashed, stalled or vanished.' },
  render_failed: { retryable: false, meaning: 'The render itself failed.' },
  upload_error: { retryable: true, meaning: 'The clip was rendered but could not be stored.' },
  finalize_failed: { retryable: false, meaning: 'The clip was rendered but its final processing failed.' },
  canceled: { retryable: false, meaning: 'It was canceled before it had finished.' },
  clip_removed: { retryable: false, meaning: 'The operator removed the clip.' },
} as const satisfies Record<string, { retryable: boolean; meaning: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

export const ERROR_CODE_LIST = Object.keys(ERROR_CODES) as readonly ErrorCode[];

/** A code that no host can report: accounts and operators cancel jobs, operators remove clips. */
export type ServiceCode = 'canceled' | 'clip_removed';
/** A code that a host can report. */
export type AttemptCode = Exclude<ErrorCode, ServiceCode>;
export const ATTEMPT_CODES = ERROR_CODE_LIST.filter(
  (code): code is AttemptCode => code !== 'canceled' && code !== 'clip_removed',
);

/** Whether the host caused the failure, so that another host may succeed. */
export function isHostFault(code: ErrorCode): boolean {
  return code === 'cs2_unavailable';
}

/** Whether another run of the same request may succeed although nothing about the demo has changed. */
export function mayPass(code: string | null): boolean {
  const found = ERROR_CODE_LIST.find((known) => known === code);
  return found === 'render_failed' || found === 'finalize_failed' || (found !== undefined && isRetryable(found));
}

export function isRetryable(code: ErrorCode): boolean {
  return ERROR_CODES[code].retryable;
}

/** Any text: a later version may add codes. */
export const CodeShape = z.string().pipe(z.custom<ErrorCode>());

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
