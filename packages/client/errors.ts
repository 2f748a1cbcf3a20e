import type { Diagnosis, Job, JobErrorCode, Problem, ProblemCode } from './shapes.ts';

/** The kinds of problems, the codes of failed jobs, and the client's own codes. Open to new ones. */
export type TickreelErrorCode = ProblemCode | JobErrorCode | 'not_reached' | 'timed_out' | 'webhook_invalid';

type Details = Partial<Pick<TickreelError, 'status' | 'requestId' | 'problem' | 'retryAfterMs' | 'docsUrl' | 'cause'>>;

/** Each failure of a call. `problem` is the service's answer. A call without an answer has no `status`. */
export class TickreelError extends Error {
  /**
   * The cause, for programs: the kind of problem (`invalid_request`, `not_found`, …: `/docs/problems` of the service),
   * `not_reached` and `timed_out` for a call without an answer, the `error_code` of a failed job, or `webhook_invalid`.
   * The list may grow.
   */
  readonly code: TickreelErrorCode;
  /** HTTP status; null without an answer. */
  readonly status: number | null;
  /** Send it to the service's operator when you ask for help. */
  readonly requestId: string | null;
  /** The RFC 9457 answer, with each wrong field in `errors`; null if there was none. */
  readonly problem: Problem | null;
  /** How long the service asks to wait, in milliseconds; null if it does not. */
  readonly retryAfterMs: number | null;
  /** The page of the service that explains `code`; null if there is none. */
  readonly docsUrl: string | null;

  constructor(code: TickreelErrorCode, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'TickreelError';
    this.code = code;
    this.status = details.status ?? null;
    this.requestId = details.requestId ?? null;
    this.problem = details.problem ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.docsUrl = details.docsUrl ?? null;
  }

  /** Whether the same call may succeed later: the service did not answer, answered with 5xx, or asked to wait (429). */
  get isTransient(): boolean {
    const { code, status } = this;
    if (status === null) return code === 'not_reached' || code === 'timed_out';
    return status === 408 || status === 429 || (status >= 500 && status !== 501 && status !== 508);
  }
}

/** A job ended without a clip. `code` is its `error_code`, and `message` has the summary of its diagnosis. */
export class JobFailedError extends TickreelError {
  readonly job: Job;
  /** Why it failed, and what you can do; null if the service did not say. */
  readonly diagnosis: Diagnosis | null;

  constructor(job: Job) {
    const { id, error_code: code, diagnosis = null } = job;
    const why = diagnosis === null ? '' : ` ${diagnosis.summary}`;
    const docsUrl = diagnosis?.docs_url ?? null;
    super(code ?? 'error', `Job ${id} failed: ${code ?? 'no error_code'}.${why}`, { docsUrl });
    this.name = 'JobFailedError';
    this.job = job;
    this.diagnosis = diagnosis;
  }
}

/** Returns the error of an answer that is not a success. */
export async function errorOf(response: Response): Promise<TickreelError> {
  const problem = asProblem(await response.json().catch(() => null));
  const code = problem?.type.split('#').at(-1) || `http_${response.status}`;
  const rules = problem?.errors?.map(({ path, message }) => `\n  ${path || 'the body'} ${message}`).join('');
  const message = rules
    ? `${problem?.title}:${rules}`
    : (problem?.detail ?? `The service answered ${response.status}.`);
  return new TickreelError(code, message, {
    status: response.status,
    requestId: response.headers.get('X-Request-Id') ?? problem?.request_id ?? null,
    problem,
    retryAfterMs: retryAfter(response.headers.get('Retry-After')),
    docsUrl: problem?.type ?? null,
  });
}

/** A proxy may answer anything. */
function asProblem(body: unknown): Problem | null {
  if (typeof body !== 'object' || body === null) return null;
  const { type, title, detail } = body as Partial<Record<keyof Problem, unknown>>;
  return [type, title, detail].every((field) => typeof field === 'string') ? (body as Problem) : null;
}

/** Parses seconds or a date. */
function retryAfter(header: string | null): number | null {
  if (header === null) return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
