import { json } from '#http/json.ts';
import { invalidRequest, problemBody } from '#http/problem.ts';
import { rateLimited } from '#http/rate-limit.ts';
import { readJson } from '#http/read-body.ts';
import { toProblem } from '#http/to-problem.ts';
import { BatchRequest, type BatchResult } from '#protocol/batch.ts';
import { fieldErrors } from '#protocol/field-errors.ts';
import { PROBLEMS } from '#protocol/problem.ts';
import { DIFFERS_HEADER, REPLAYED_HEADER } from '#protocol/submit.ts';
import { mapFew } from '../each-of.ts';
import type { ApiHandler } from './api-handler.ts';
import { submitOne } from './submit-one.ts';

/**
 * `POST /api/clips/batch`: each submit is answered as if it had come alone, and is one call of one object. Those of one
 * demo go one behind the other, so that they lie together in the queue, where a host that has the demo looks for more.
 */
export const submitBatch: ApiHandler<'job' | 'clipIds' | 'databases' | 'limits' | 'settings' | 'log' | 'now'> = async (
  service,
  { caller, request, requestId, waitUntil },
) => {
  const { limits, log } = service;
  const submits = limits.submits.of(caller.limits.submits);
  const wait = submits.waitOf(caller.accountId);
  if (wait > 0) throw rateLimited(submits.policy, wait);
  const { value, opaque } = await readJson(request, (path) => path.length > 1 && path.at(-1) === 'extras');
  const parsed = BatchRequest.safeParse(value);
  if (!parsed.success) throw invalidRequest(fieldErrors(parsed.error));
  const { defaults = {}, clips } = parsed.data;
  waitUntil(Promise.all(clips.map(() => submits.count(caller.accountId))));

  const answerTo = async (index: number): Promise<BatchResult> => {
    const extras = opaque.get(`clips[${index}].extras`) ?? opaque.get('defaults.extras') ?? null;
    try {
      const submit = { ...defaults, ...clips[index] };
      const { jobId, status, headers } = await submitOne(service, { caller, requestId }, submit, extras);
      const tells = { replayed: REPLAYED_HEADER in headers, body_differs: DIFFERS_HEADER in headers };
      return { index, status, job_id: jobId, ...tells, problem: null };
    } catch (error) {
      const problem = toProblem(error, { requestId, index: String(index) }, log);
      const { status } = PROBLEMS[problem.kind];
      const body = problemBody(problem, requestId);
      return { index, status, job_id: null, replayed: false, body_differs: false, problem: body };
    }
  };

  const results: BatchResult[] = [];
  for (const group of byDemo(clips.map((clip) => clip.demo_url ?? defaults.demo_url))) {
    for (const result of await mapFew(group, answerTo)) results[result.index] = result;
  }
  return json({ results });
};

/** The places of each demo that is there more than once, and of all others together. */
function byDemo(demos: readonly unknown[]): number[][] {
  const isAlone = (index: number) => demos.indexOf(demos[index]) === demos.lastIndexOf(demos[index]);
  return [...Map.groupBy(demos.keys(), (index) => (isAlone(index) ? null : demos[index])).values()];
}
