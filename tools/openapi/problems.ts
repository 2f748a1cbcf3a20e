import type { ZodOpenApiComponentsObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { EXAMPLE_URL, INVALID_SUBMIT, REQUEST_ID } from '#protocol/examples/client.ts';
import type { HeaderWords } from '#protocol/lib/operation-words.ts';
import { PROBLEMS, Problem, type ProblemKind, problemOf } from '#protocol/lib/problem.ts';
import { headerObjects } from './content.ts';
import type { DescribedOperation } from './described-operation.ts';

/** `detail`, `error_code` and `errors` of the example of each kind. */
const EXAMPLES: Record<ProblemKind, Pick<Problem, 'detail' | 'error_code' | 'errors'>> = {
  invalid_request: INVALID_SUBMIT,
  unauthorized: { detail: 'The key is unknown or was revoked. Send a valid key as "Authorization: Bearer <key>".' },
  forbidden: { detail: 'This key may read; submitting asks for one of scope submit.' },
  account_suspended: { detail: 'This account is suspended: it may read, and change nothing.' },
  not_found: { detail: 'There is nothing at this address that you can see.' },
  method_not_allowed: { detail: 'Allowed here: GET, DELETE.' },
  demo_not_inspected: { detail: 'Inspect the demo first: `POST /api/demos` with its `demo_url`.' },
  clip_impossible: {
    detail: 'The player has no kills in round 9. They have some in rounds 1 and 7: ask for one of these.',
    error_code: 'no_kills_found',
  },
  demo_refused: { detail: 'FACEIT answered 404: resource not found', error_code: 'demo_404' },
  job_in_flight: { detail: 'The job is pending, prefetching or rendering; wait for its outcome.' },
  job_finished: { detail: 'The job has its outcome already; it cannot be canceled any more.' },
  request_forgotten: { detail: 'What was asked of this job is no longer kept; submit it anew.' },
  too_many_deliveries: {
    detail: '20 webhooks of this job are still on their way; they have to arrive or be used up first.',
  },
  rate_limited: { detail: 'At most 3000 submits in 60 seconds are taken.' },
  limit_reached: { detail: '1000 images are stored; delete some first.' },
  no_webhook: {
    detail: 'The job has no webhook that could be sent: no webhook_url, or one whose secret has been forgotten.',
  },
  stale_lease: { detail: 'Another host has this job now, or it needs no more work. Drop it.' },
  upload_incomplete: { detail: 'Part 3 arrived with another SHA-256 than announced.' },
  agent_outdated: { detail: 'This host is of version 1.2.0; 1.4.0 or newer gets work.' },
  gone: { detail: 'This clip was deleted.' },
  site_not_allowed: { detail: 'The owner of this clip does not let other.example.com load it.' },
  request_timeout: { detail: 'Nothing of the body came for 10 seconds.' },
  body_too_large: { detail: 'The body may have at most 262144 bytes.' },
  length_required: { detail: 'Send the demo with a Content-Length.' },
  unsupported_media_type: { detail: 'Send the body as application/json.' },
  range_not_satisfiable: { detail: 'The file has 18874368 bytes.' },
  not_implemented: { detail: 'The formats are json and xml.' },
  internal: { detail: 'The request could not be finished.' },
  loop_detected: { detail: 'A webhook of this service led back to it.' },
  unavailable: { detail: 'Send the request again.' },
};

/** Headers of a kind of problem besides `X-Request-Id`. */
const HEADERS: Partial<Record<ProblemKind, readonly [name: string, HeaderWords]>> = {
  unauthorized: ['WWW-Authenticate', { description: 'The scheme to use.', example: 'Bearer' }],
  method_not_allowed: ['Allow', { description: 'The methods that this address takes.', example: 'GET, DELETE' }],
  range_not_satisfiable: [
    'Content-Range',
    { description: 'Length of the file in bytes.', example: 'bytes */18874368' },
  ],
  unavailable: ['Retry-After', { description: 'Seconds to wait before a retry.', example: '1' }],
  rate_limited: ['Retry-After', { description: 'Seconds to wait before a retry.', example: '17' }],
  limit_reached: ['Retry-After', { description: 'Seconds to wait before another try.', example: '10' }],
};

export const PROBLEM_KINDS = Object.keys(PROBLEMS) as ProblemKind[];

export function problemExample(kind: ProblemKind): Problem {
  const { detail, ...more } = EXAMPLES[kind];
  return { ...problemOf(kind, detail, REQUEST_ID, EXAMPLE_URL), ...more };
}

/** Returns the kinds of problem that an operation answers: those of its shape, and its own. */
export function problemsOf({ tag, words, operation, path, key }: DescribedOperation): ProblemKind[] {
  const { query, body } = operation;
  const kinds = new Set<ProblemKind>(words.problems);
  if (key !== null) kinds.add('unauthorized').add('rate_limited');
  if (key === 'operatorToken' || key === 'consoleSession') kinds.add('forbidden');
  // Every key may read, even of a suspended account.
  if (key === 'apiKey' && operation.scope !== 'account:read') kinds.add('forbidden').add('account_suspended');
  if (key !== null && path.includes(':')) kinds.add('not_found');
  if (query) kinds.add('invalid_request');
  if (words.body) kinds.add('body_too_large').add('request_timeout');
  if (body) kinds.add('invalid_request').add('unsupported_media_type');
  kinds.add('internal');
  if (tag !== 'Reference') kinds.add('unavailable');
  return PROBLEM_KINDS.filter((kind) => kinds.has(kind));
}

/** Describes kinds of problem by status. One kind is referred to by name; several with one status become examples. */
export function problemResponses(
  kinds: readonly ProblemKind[],
): Record<`${number}`, ZodOpenApiResponseObject | { $ref: string }> {
  const byStatus = Map.groupBy(kinds, (kind) => PROBLEMS[kind].status);
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => {
      const [first] = same;
      return [status, first && same.length === 1 ? { $ref: `#/components/responses/${first}` } : response(same)];
    }),
  );
}

/** Describes the answers that `problemResponses` refers to. */
export function problemComponents(
  operations: readonly (readonly ProblemKind[])[],
): NonNullable<ZodOpenApiComponentsObject['responses']> {
  const alone = operations.flatMap((kinds) =>
    kinds.filter((kind) => kinds.every((other) => other === kind || PROBLEMS[other].status !== PROBLEMS[kind].status)),
  );
  return Object.fromEntries(
    PROBLEM_KINDS.filter((kind) => alone.includes(kind)).map((kind) => [kind, response([kind])]),
  );
}

function response(kinds: readonly ProblemKind[]): ZodOpenApiResponseObject {
  return {
    description: kinds.map((kind) => (kinds.length > 1 ? `\`${kind}\`: ` : '') + PROBLEMS[kind].meaning).join('\n\n'),
    headers: headerObjects(kinds.flatMap((kind) => (HEADERS[kind] ? [HEADERS[kind]] : []))),
    content: {
      'application/problem+json': {
        schema: Problem,
        examples: Object.fromEntries(
          kinds.map((kind) => [kind, { summary: PROBLEMS[kind].title, value: problemExample(kind) }]),
        ),
      },
    },
  };
}
