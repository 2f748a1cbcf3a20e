import { invalidRequest, problemBody } from '#http/problem.ts';
import { rateLimited } from '#http/rate-limit.ts';
import { readJson } from '#http/read-body.ts';
import { toProblem } from '#http/to-problem.ts';
import { BatchAnswer, BatchRequest, type BatchResult } from '#protocol/batch.ts';
import { BATCH, EXAMPLE_URL, INVALID_SUBMIT, JOB_ID, REQUEST_ID } from '#protocol/examples.ts';
import { fieldErrors } from '#protocol/field-errors.ts';
import { PROBLEMS, problemOf } from '#protocol/problem.ts';
import { DIFFERS_HEADER, KEY_HEADER, REPLAYED_HEADER } from '#protocol/submit.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { submitOne } from '#service/submit-one.ts';
import { mapFew } from '../each-of.ts';

/**
 * Submits each item with one call of its object. Submits of one demo run one after the other, so that a host that has
 * the demo gets the next.
 */
export const submitBatch = operation({
  route: 'POST /api/clips/batch',
  scope: 'account:submit',
  diskShare: 1,
  body: BatchRequest,
  answers: { 200: BatchAnswer },
  handler: async (service, { caller, request, requestId, waitUntil, reply }) => {
    const { limits, log, settings } = service;
    const submits = limits.submits.of(caller.limits.submits);
    const wait = submits.waitOf(caller.accountId);
    if (wait > 0) throw rateLimited(submits.policy, wait);
    if (request.headers.has(KEY_HEADER)) {
      const message = 'must not be sent with a batch: each submit has its own idempotency_key';
      throw invalidRequest([{ path: KEY_HEADER, message }]);
    }
    const { value, opaque } = await readJson(request, (path) => path.length > 1 && path.at(-1) === 'extras');
    const parsed = BatchRequest.safeParse(value);
    if (!parsed.success) throw invalidRequest(fieldErrors(parsed.error, BatchRequest));
    const { defaults = {}, clips } = parsed.data;
    waitUntil(Promise.all(clips.map(() => submits.count(caller.accountId))));

    const answerTo = async (index: number): Promise<BatchResult> => {
      const extras = opaque.get(`clips[${index}].extras`) ?? opaque.get('defaults.extras') ?? null;
      try {
        const submit = { ...defaults, ...clips[index] };
        const { jobId, status, headers } = await submitOne(service, { caller, requestId }, submit, extras);
        const replay = { replayed: REPLAYED_HEADER in headers, body_differs: DIFFERS_HEADER in headers };
        return { index, status, job_id: jobId, ...replay, problem: null };
      } catch (error) {
        const problem = toProblem(error, { requestId, index: String(index) }, log);
        const { status } = PROBLEMS[problem.kind];
        const body = problemBody(problem, requestId, settings.baseUrl);
        return { index, status, job_id: null, replayed: false, body_differs: false, problem: body };
      }
    };

    const results: BatchResult[] = [];
    for (const group of byDemo(clips.map((clip) => clip.demo_url ?? defaults.demo_url))) {
      for (const result of await mapFew(group, answerTo)) results[result.index] = result;
    }
    return reply(200, { results });
  },
});

export const words = (): Words => ({
  submitBatch: {
    tag: 'Clips',
    summary: 'Submit many render jobs',
    description:
      'Up to 50 submits that share some of their fields. Each is answered separately: a refused one does not stop the others. Jobs of one demo are queued together, so that a render host that has the demo renders them one after the other. With an `idempotency_key` in each, the whole batch can be repeated.',
    body: { examples: only(BATCH) },
    answers: {
      200: answer('The result of each submit.', {
        results: [
          { index: 0, status: 201, job_id: JOB_ID, replayed: false, body_differs: false, problem: null },
          {
            index: 1,
            status: 400,
            job_id: null,
            replayed: false,
            body_differs: false,
            problem: {
              ...problemOf('invalid_request', INVALID_SUBMIT.detail, REQUEST_ID, EXAMPLE_URL),
              errors: INVALID_SUBMIT.errors,
            },
          },
        ],
      }),
    },
  },
});

/** Groups indexes: one group for each repeated demo, one for all others. */
function byDemo(demos: readonly unknown[]): number[][] {
  const isAlone = (index: number) => demos.indexOf(demos[index]) === demos.lastIndexOf(demos[index]);
  return [...Map.groupBy(demos.keys(), (index) => (isAlone(index) ? null : demos[index])).values()];
}
