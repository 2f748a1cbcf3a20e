import { invalidRequest } from '#http/problem.ts';
import { rateLimited } from '#http/rate-limit.ts';
import { readJson } from '#http/read-body.ts';
import { JOB_ID, ROUND_REQUEST, TIMELINE_REQUEST } from '#protocol/examples.ts';
import { JobRef } from '#protocol/job-view.ts';
import { DIFFERS_HEADER, KEY_HEADER, REPLAYED_HEADER, SubmitRequest } from '#protocol/submit.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { isExtras, submitOne } from '#service/submit-one.ts';

/** Contract 4.1. */
export const submitClip = operation({
  route: 'POST /api/clips',
  scope: 'account:submit',
  repeatable: 'by key',
  diskShare: 1,
  body: SubmitRequest,
  answers: { 201: JobRef, 200: JobRef },
  handler: async (service, { caller, request, requestId, waitUntil, reply }) => {
    const submits = service.limits.submits.of(caller.limits.submits);
    const wait = submits.waitOf(caller.accountId);
    if (wait > 0) throw rateLimited(submits.policy, wait);
    // The count of the platform serves later requests, so this one does not wait for it.
    waitUntil(submits.count(caller.accountId));
    const { value, opaque } = await readJson(request, isExtras);
    const { jobId, status, headers } = await submitOne(
      service,
      { caller, requestId },
      withHeaderKey(value, request.headers.get(KEY_HEADER)),
      opaque.get('extras') ?? null,
    );
    return reply(status, { job_id: jobId }, headers);
  },
});

/**
 * Returns a body with the key of the header as its field. Throws a 400 problem if that key breaks a rule of the field,
 * or if the body has another.
 */
function withHeaderKey(body: unknown, key: string | null): unknown {
  if (key === null || typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const differs = 'idempotency_key' in body && body.idempotency_key !== key;
  const rule = SubmitRequest.shape.idempotency_key.safeParse(key).error?.issues[0]?.message;
  const message = rule ?? (differs ? 'must equal the idempotency_key of the body' : undefined);
  if (message !== undefined) throw invalidRequest([{ path: KEY_HEADER, message }]);
  return { ...body, idempotency_key: key };
}

export const words = (): Words => ({
  submitClip: {
    tag: 'Clips',
    summary: 'Submit a render job',
    description: [
      'Queues one job, which makes one clip. In **round mode** (`steam64_id`) the service finds the kills of that player, in one `round` or in the whole demo, and joins them. In **timeline mode** (`timeline`) it shows 1 to 20 ranges of ticks, each as seen by a player of your choice.',
      'The key decides how the job is queued: a metered key submits best-effort jobs, a reserved key priority jobs. A 2xx means that the job is queued, not that the clip is ready.',
      'With an `idempotency_key` the request can be repeated safely. The header `Idempotency-Key` means the same as the field. A 400 names every rule that the body breaks, and uses up no key.',
    ].join('\n\n'),
    headers: {
      [KEY_HEADER]: {
        description: 'The same as the field `idempotency_key`. If a request has both, they must be equal.',
        example: ROUND_REQUEST.idempotency_key,
      },
    },
    body: {
      examples: {
        round: { summary: 'The kills of a player in one round', value: ROUND_REQUEST },
        timeline: { summary: 'Two ranges of ticks, seen by two players', value: TIMELINE_REQUEST },
        redo: { summary: 'The same job again, whatever became of it', value: { ...ROUND_REQUEST, force: true } },
      },
    },
    answers: {
      201: answer('A new job is queued.', { job_id: JOB_ID }),
      200: answer(
        'The `idempotency_key` named a job that exists: nothing new is queued. With `force`, a finished job runs again in place.',
        { job_id: JOB_ID },
        {
          [REPLAYED_HEADER]: {
            description: '`true` if the request changed nothing.',
            example: 'true',
            isOptional: true,
          },
          [DIFFERS_HEADER]: {
            description: '`true` if the body differs from the one that the job keeps. The key may then be a mistake.',
            example: 'true',
            isOptional: true,
          },
        },
      ),
    },
    problems: ['limit_reached'],
  },
});
