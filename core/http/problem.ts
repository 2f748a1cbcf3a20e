import { type FieldError, PROBLEMS, type Problem, type ProblemKind, problemType } from '#protocol/problem.ts';

/** Thrown by a handler to answer with a problem; the router turns it into the response. */
export class ProblemError extends Error {
  readonly kind: ProblemKind;
  readonly errors: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    kind: ProblemKind,
    detail: string,
    more: { errors?: readonly FieldError[]; headers?: Record<string, string> } = {},
  ) {
    super(detail);
    this.kind = kind;
    this.errors = more.errors;
    this.headers = more.headers ?? {};
  }
}

/** A small body can break tens of thousands of rules; nobody reads on after these. */
const MAX_ERRORS = 100;

/** The answer to an invalid body or query: 400 with every broken rule, or the first hundred. */
export function invalidRequest(errors: readonly FieldError[]): ProblemError {
  const [first] = errors;
  const detail = first ? `${first.path || 'the body'} ${first.message}` : 'the request is not valid';
  return new ProblemError('invalid_request', errors.length > 1 ? `${detail} (and ${errors.length - 1} more)` : detail, {
    errors: errors.slice(0, MAX_ERRORS),
  });
}

/** One answer for what is malformed, unknown or somebody else's: nobody can tell the three apart. */
export function notFound(): ProblemError {
  return new ProblemError('not_found', 'There is nothing at this address that you can see.');
}

/** RFC 9457. */
export function problemBody(error: ProblemError, requestId: string): Problem {
  const { status, title } = PROBLEMS[error.kind];
  return {
    type: problemType(error.kind),
    title,
    status,
    detail: error.message,
    request_id: requestId,
    ...(error.errors ? { errors: [...error.errors] } : {}),
  };
}

export function problemResponse(error: ProblemError, requestId: string): Response {
  return new Response(JSON.stringify(problemBody(error, requestId)), {
    status: PROBLEMS[error.kind].status,
    headers: { ...error.headers, 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' },
  });
}
