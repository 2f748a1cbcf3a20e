import type { Facts } from '#domain/failure/codes.ts';
import { type FieldError, PROBLEMS, type Problem, type ProblemKind, problemOf } from '#protocol/lib/problem.ts';

/** An error that the router answers with a problem. */
export class ProblemError extends Error {
  readonly kind: ProblemKind;
  readonly errors: readonly FieldError[] | undefined;
  readonly errorCode: string | undefined;
  readonly facts: Facts | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    kind: ProblemKind,
    detail: string,
    more: Partial<Pick<ProblemError, 'errors' | 'errorCode' | 'facts' | 'headers'>> = {},
  ) {
    super(detail);
    this.kind = kind;
    this.errors = more.errors;
    this.errorCode = more.errorCode;
    this.facts = more.facts;
    this.headers = more.headers ?? {};
  }
}

/** A small body can break tens of thousands of rules. Only so many are listed. */
const MAX_ERRORS = 100;

/** Creates the 400 problem of an invalid body or query, with its broken rules up to a hundred. */
export function invalidRequest(errors: readonly FieldError[]): ProblemError {
  const [first] = errors;
  const detail = first ? `${first.path || 'the body'} ${first.message}` : 'the request is not valid';
  return new ProblemError('invalid_request', errors.length > 1 ? `${detail} (and ${errors.length - 1} more)` : detail, {
    errors: errors.slice(0, MAX_ERRORS),
  });
}

/** Creates the same 404 problem for a malformed id, an unknown one and one of another account. */
export function notFound(): ProblemError {
  return new ProblemError('not_found', 'There is nothing at this address that you can see.');
}

/** Creates the 410 problem of a clip that was deleted, or that the operator removed. */
export function gone(): ProblemError {
  return new ProblemError('gone', 'This clip was deleted.');
}

/** Returns the body of a problem (RFC 9457). */
export function problemBody(error: ProblemError, requestId: string, baseUrl: string): Problem {
  return {
    ...problemOf(error.kind, error.message, requestId, baseUrl),
    ...(error.errorCode ? { error_code: error.errorCode } : {}),
    ...(error.facts ? { facts: error.facts } : {}),
    ...(error.errors ? { errors: [...error.errors] } : {}),
  };
}

export function problemResponse(error: ProblemError, requestId: string, baseUrl: string): Response {
  return new Response(JSON.stringify(problemBody(error, requestId, baseUrl)), {
    status: PROBLEMS[error.kind].status,
    headers: { ...error.headers, 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' },
  });
}
