import * as z from 'zod';
import { ERROR_CODE_LIST } from '#domain/failure/codes.ts';
import { didYouMean } from '#domain/lib/nearest-name.ts';
import * as field from './fields.ts';
import { href, PUBLIC_ROUTES } from './routes.ts';

/** A code of contract 7.2. `x-extensible-enum`: the list may grow, so any other text is valid too. */
export const JobErrorCode = z.string().meta({
  id: 'JobErrorCode',
  description: 'The reason why a job failed. Treat an unknown code as a failure.',
  'x-extensible-enum': [...ERROR_CODE_LIST],
});

/** One broken rule. `path` names the field as a client writes it, such as `timeline[2].end_tick`; '' is the body. */
export const FieldError = z
  .object({
    path: field.text('The field, such as `timeline[2].end_tick`. Empty for the whole body.'),
    message: field.text('The rule that the field breaks.'),
  })
  .meta({ id: 'FieldError', description: 'A rule that the request breaks.' });
export type FieldError = z.infer<typeof FieldError>;

/** The body of every error answer, as `application/problem+json` (RFC 9457). */
export const Problem = z
  .object({
    type: z.string().meta({ description: 'The kind of problem, as the URL that explains it.', format: 'uri' }),
    title: field.text('The title of this kind of problem, always the same.'),
    status: field.integer('HTTP status of the answer.'),
    detail: field.text('The cause of the problem this time.'),
    error: field.text('The same text as `detail`, for clients that read `error`.'),
    request_id: field.text('Id of the request, as in `X-Request-Id`. Include it when you ask for help.'),
    error_code: JobErrorCode.optional().describe(
      'The code with which a job of this plan would fail, or with which its demo could not be read. Only in answers of a plan, and to hosts.',
    ),
    facts: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Facts about the failure that `error_code` names. Only in answers to hosts.'),
    errors: z.array(FieldError).optional().describe('Every rule that an invalid request breaks.'),
  })
  .meta({ id: 'Problem', description: 'The body of every error answer (RFC 9457).' });
export type Problem = z.infer<typeof Problem>;

/**
 * The kinds of problem with status, title and meaning. `type` is the kind's anchor on the page that lists them
 * (`problemType`).
 */
export const PROBLEMS = {
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    meaning: 'A field, the query or the body breaks a rule. `errors` names every one that does; nothing was changed.',
  },
  unauthorized: {
    status: 401,
    title: 'A valid API key is required',
    meaning: 'The bearer token is missing, mistyped, revoked, or of a kind that this address does not accept.',
  },
  forbidden: {
    status: 403,
    title: 'The key may not do this',
    meaning:
      'The key or token is valid, but may do less than this. Ask whoever made it for one of a wider scope or role.',
  },
  account_suspended: {
    status: 403,
    title: 'The account is suspended',
    meaning: 'The account may read and change nothing. Ask the operator of the service.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning: 'The id is malformed, unknown, or belongs to another account. The three are answered alike.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This method is not allowed here',
    meaning: 'The address exists, but not for this method. `Allow` lists those that it takes.',
  },
  demo_not_inspected: {
    status: 409,
    title: 'The demo has not been inspected',
    meaning:
      'A plan needs an inspection of the demo, and the replay of a job one with `replay: true`. Start one with `POST /api/demos`, wait until its `state` is `ready`, and ask again. `error_code` says why a demo could not be read.',
  },
  clip_impossible: {
    status: 422,
    title: 'A job of this request would fail',
    meaning: 'The demo does not have what was asked for, or too much of it. `error_code` is the one of the failed job.',
  },
  demo_refused: {
    status: 422,
    title: 'The demo cannot be fetched',
    meaning:
      'The platform that has the demo does not give it to the service. Only render hosts see this: they fail the job with `error_code` and `facts`.',
  },
  job_in_flight: {
    status: 409,
    title: 'The job has no outcome yet',
    meaning:
      'The job is `pending`, `prefetch` or `render`; for its webhook to be sent again, `retrying` counts too. Wait for its outcome and ask again.',
  },
  job_finished: {
    status: 409,
    title: 'The job has finished',
    meaning: 'The job is `done`, or failed by itself: there is nothing left to cancel.',
  },
  request_forgotten: {
    status: 409,
    title: 'The request of the job is no longer kept',
    meaning:
      'The job ended long ago and has no clip, so what was asked of it is no longer kept and it cannot run again as it was. Submit a new request; with `idempotency_key` and `force` the job keeps its id.',
  },
  no_webhook: {
    status: 409,
    title: 'The job has no outcome webhook',
    meaning: 'The job was submitted without a `webhook_url`, or its address was deleted when its time was up.',
  },
  too_many_deliveries: {
    status: 429,
    title: 'Too many webhooks of this job wait',
    meaning: 'So many webhooks of one job are still on their way. Wait until some have arrived, or mend the receiver.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    meaning:
      'More requests of this kind than are answered in a while, or too many guesses from one address. Wait for `Retry-After` seconds; `RateLimit-Policy` says how many are answered in how long.',
  },
  limit_reached: {
    status: 429,
    title: 'A limit is reached',
    meaning:
      'Too much of something exists or is open at a time, or a budget of the hour or day is used up: jobs, inspections, assets, uploads, event streams, polls, tool calls, webhooks, bodies in memory. `detail` says which and how many. Repeat after `Retry-After`, or remove some.',
  },
  request_timeout: {
    status: 408,
    title: 'The request body broke off or came too slowly',
    meaning:
      'The body ended before its `Content-Length`, or brought less than 8 KiB in 10 seconds. Nothing has changed.',
  },
  stale_lease: {
    status: 409,
    title: 'The lease is no longer held',
    meaning: 'The job went to another host, or needs no more work. Drop it, delete its files and report nothing more.',
  },
  upload_incomplete: {
    status: 409,
    title: 'The uploaded files are not what was announced',
    meaning:
      'Parts are missing, size or SHA-256 do not match, storage does not know the upload, or a part was stored six times: `detail` says which. Send what is missing, or begin the upload of that file anew.',
  },
  agent_outdated: {
    status: 400,
    title: 'The render host is too old',
    meaning:
      'The service works with newer versions of the host program only; `detail` says with which. Bring the host up to date and start it again: asking again changes nothing.',
  },
  gone: {
    status: 410,
    title: 'The clip was deleted',
    meaning: 'The clip no longer exists. Its owner or the operator removed it, or it was not saved and has expired.',
  },
  site_not_allowed: {
    status: 403,
    title: 'This site may not load the clip',
    meaning:
      'The `Referer` names a site that is none of those on which the clip’s owner lets it be embedded. Link to its page instead.',
  },
  body_too_large: {
    status: 413,
    title: 'The request body is too large',
    meaning:
      'The body has more bytes than this address reads. `detail` says how many it takes. Beyond 20 MiB the connection may be reset before you have read this answer.',
  },
  length_required: {
    status: 411,
    title: 'The body needs a length',
    meaning: 'Storage has to know the length of a file before its first byte. Send a `Content-Length`.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The content type is not supported',
    meaning: 'The `Content-Type` is not one that this address reads.',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'The range lies outside the file',
    meaning: 'The `Range` begins beyond the end of the file. `Content-Range` says how long it is.',
  },
  not_implemented: {
    status: 501,
    title: 'The format is not supported',
    meaning: 'The answer was asked for in a format that this address does not write. `detail` lists those it does.',
  },
  internal: {
    status: 500,
    title: 'Something went wrong on our side',
    meaning:
      'The fault is ours and was recorded under `request_id`. The request may have taken effect or not; a submit is safe to repeat if it has an `idempotency_key`.',
  },
  unavailable: {
    status: 503,
    title: 'The service is temporarily unavailable',
    meaning:
      'A part of the service cannot be reached for the moment, or the operator takes no new work: `detail` says which. Wait for `Retry-After` seconds and send the request again; a submit is safe to repeat if it has an `idempotency_key`.',
  },
  loop_detected: {
    status: 508,
    title: 'A webhook of this service called the service',
    meaning: 'The request carries the header that our own webhooks carry. Name your receiver as `webhook_url`, not us.',
  },
} as const satisfies Record<string, { status: number; title: string; meaning: string }>;

export type ProblemKind = keyof typeof PROBLEMS;

/** Returns the `type` of a problem: the URL of the service that explains it. `baseUrl` has no slash at its end. */
export function problemType(kind: ProblemKind, baseUrl: string): string {
  return `${baseUrl}${href(PUBLIC_ROUTES.problemDocs)}#${kind}`;
}

/** Returns a problem without its optional members. */
export function problemOf(kind: ProblemKind, detail: string, requestId: string, baseUrl: string): Problem {
  const { status, title } = PROBLEMS[kind];
  return { type: problemType(kind, baseUrl), title, status, detail, error: detail, request_id: requestId };
}

/** Formats a path as a client would write it: `timeline[2].end_tick`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

/** The most unknown fields of an object that get a suggestion: each costs time, and more are no typing errors. */
const MOST_SUGGESTIONS = 20;

/** Returns every broken rule of a failed parse of a shape, one entry a field. Each unknown field has its own. */
export function fieldErrors(error: z.ZodError, shape: z.ZodType): FieldError[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      const known = fieldNames(shape, issue.path);
      return issue.keys.map((key, i) => ({
        path: formatPath([...issue.path, key]),
        message: `is not a known field${i < MOST_SUGGESTIONS ? didYouMean(key, known) : ''}`,
      }));
    }
    return [{ path: formatPath(issue.path), message: issue.message }];
  });
}

type Shape = z.core.$ZodType;
/** The parts of the definition of an optional shape, an array and an object. */
type Inner = { innerType?: Shape; element?: Shape; shape?: Record<string, Shape> };

/** Returns the names of the fields of the object at a path of a shape; none for a union or a record. */
function fieldNames(shape: Shape, path: readonly PropertyKey[]): string[] {
  const { innerType, element, shape: fields = {} } = shape._zod.def as Inner;
  if (innerType) return fieldNames(innerType, path);
  const [key, ...rest] = path;
  if (key === undefined) return Object.keys(fields);
  const next = typeof key === 'number' ? element : fields[String(key)];
  return next ? fieldNames(next, rest) : [];
}
