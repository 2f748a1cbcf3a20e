import * as z from 'zod';

/** One broken rule. `path` names the field as a client writes it, such as `timeline[2].end_tick`; '' is the body. */
export const FieldError = z
  .object({
    path: z.string().meta({ description: 'The field, as in `timeline[2].end_tick`; empty for the whole body.' }),
    message: z.string().meta({ description: 'The rule that it breaks.' }),
  })
  .meta({ id: 'FieldError', description: 'One broken rule.' });
export type FieldError = z.infer<typeof FieldError>;

/** The body of every error answer, as `application/problem+json` (RFC 9457). */
export const Problem = z
  .object({
    type: z.string().meta({ description: 'The kind of problem; its address explains it.', format: 'uri-reference' }),
    title: z.string().meta({ description: 'The kind in a few words, always the same.' }),
    status: z.int().meta({ description: 'The HTTP status again.' }),
    detail: z.string().meta({ description: 'What went wrong this time.' }),
    request_id: z.string().meta({ description: 'As in `X-Request-Id`. Name it when you ask for help.' }),
    errors: z.array(FieldError).optional().meta({ description: 'Every broken rule of an invalid request.' }),
  })
  .meta({ id: 'Problem', description: 'Every error is answered with one (RFC 9457).' });
export type Problem = z.infer<typeof Problem>;

/** The kinds of problem, their status and their short title. `type` is this name under the service's docs. */
export const PROBLEMS = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  unauthorized: { status: 401, title: 'A valid API key is required' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'This method is not allowed here' },
  job_in_flight: { status: 409, title: 'The job is in flight' },
  no_webhook: { status: 409, title: 'The job has no outcome webhook' },
  stale_lease: { status: 409, title: 'The lease is no longer held' },
  upload_incomplete: { status: 409, title: 'The uploaded files are not what was announced' },
  gone: { status: 410, title: 'The clip was deleted' },
  body_too_large: { status: 413, title: 'The request body is too large' },
  unsupported_media_type: { status: 415, title: 'The content type is not supported' },
  range_not_satisfiable: { status: 416, title: 'The range lies outside the file' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  unavailable: { status: 503, title: 'The service is temporarily unavailable' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemKind = keyof typeof PROBLEMS;
