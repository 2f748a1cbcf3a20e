import { isoDate } from '#domain/job/metering.ts';
import { accepted } from '#http/accepted.ts';
import { invalidRequest, ProblemError, problemBody } from '#http/problem.ts';
import { readJson } from '#http/read-body.ts';
import { type Reply, reply } from '#http/reply.ts';
import type { Context } from '#http/router.ts';
import { toProblem } from '#http/to-problem.ts';
import { BatchAnswer, BatchRequest, type BatchResult } from '#protocol/clip/batch.ts';
import { ClipDetail, ClipList, ClipListQuery, ClipQuery, ClipViews, clipDetail } from '#protocol/clip/clip-view.ts';
import { DIFFERS_HEADER, KEY_HEADER, REPLAYED_HEADER, SubmitRequest } from '#protocol/clip/submit.ts';
import {
  BATCH,
  CLIP,
  CLIP_DETAIL,
  EXAMPLE_URL,
  INVALID_SUBMIT,
  JOB_ID,
  REQUEST_ID,
  ROUND_REQUEST,
  TIMELINE_REQUEST,
} from '#protocol/examples/client.ts';
import { JobRef } from '#protocol/job/job-view.ts';
import { pageOf } from '#protocol/lib/lists.ts';
import { fieldErrors, PROBLEMS, problemOf } from '#protocol/lib/problem.ts';
import { askOwner } from '#service/clip/public-clip.ts';
import { bytesOf } from '#service/job/job-limits.ts';
import { isExtras, submitOne } from '#service/job/submit-one.ts';
import { mapFew } from '#service/lib/each-of.ts';
import { answer, only, operation, type Words } from '#service/lib/operation.ts';
import type { Service } from '#service/lib/service.ts';
import { keptDays } from '#service/lib/views.ts';
import type { Caller } from '#storage/account/accounts.ts';
import { clipOfRow } from '#storage/clip/clip-index.ts';
import { forgetRecord } from '#storage/clip/record-cache.ts';
import { selectClips } from '#storage/lib/lists.ts';

type Asking = Pick<Context<'id', Caller>, 'caller' | 'params' | 'requestId'>;

/** Asks the job that owns the clip to change it. Throws its refusal as a problem. */
async function changeClip(
  service: Pick<Service, 'job' | 'clipIds' | 'files' | 'settings'>,
  { caller, params, requestId }: Asking,
  change: 'save' | 'unsave' | 'delete-clip',
): Promise<Reply<null>> {
  accepted(
    await askOwner(service, params.id, (owner) =>
      owner.changeClip(caller.accountId, { clipId: params.id, change, requestId }),
    ),
  );
  // The client's next read in this data centre shows the deletion.
  if (change === 'delete-clip') await forgetRecord(service, params.id);
  return reply(204, null);
}

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
    submits.refuse(caller.accountId);
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

/** Reads the index. */
export const listClips = operation({
  route: 'GET /api/clips',
  scope: 'account:read',
  query: ClipListQuery,
  answers: { 200: ClipList },
  handler: async ({ replica, settings }, { caller, query, reply }) => {
    const { include, ...asked } = query();
    const { rows, next_cursor } = pageOf(await selectClips(replica(), caller.accountId, asked), asked.limit);
    const kept = { ...settings, isTest: caller.keyKind === 'test' };
    return reply(200, {
      clips: rows.map((row) => clipDetail(row.id, row.jobId, clipOfRow(row), include, kept)),
      next_cursor,
    });
  },
});

/** Reads the clip from the job that owns it (contract 4.5). */
export const getClip = operation({
  route: 'GET /api/clips/:id',
  scope: 'account:read',
  query: ClipQuery,
  answers: { 200: ClipDetail },
  handler: async (service, { caller, params, query, reply }) => {
    const { include } = query();
    const { accountId } = caller;
    return reply(
      200,
      accepted(await askOwner(service, params.id, (owner) => owner.readClip(accountId, params.id, include))),
    );
  },
});

/** Contract 4.6. */
export const saveClip = operation({
  route: 'POST /api/clips/:id/save',
  scope: 'account:manage',
  repeatable: 'always',
  answers: { 204: null },
  handler: (service, context) => changeClip(service, context, 'save'),
});

/** Contract 4.6. */
export const unsaveClip = operation({
  route: 'POST /api/clips/:id/unsave',
  scope: 'account:manage',
  repeatable: 'always',
  answers: { 204: null },
  handler: (service, context) => changeClip(service, context, 'unsave'),
});

/** Contract 4.7. */
export const deleteClip = operation({
  route: 'DELETE /api/clips/:id',
  scope: 'account:manage',
  answers: { 204: null },
  handler: (service, context) => changeClip(service, context, 'delete-clip'),
});

/** Counts views of deleted clips too. */
export const getClipViews = operation({
  route: 'GET /api/clips/:id/views',
  scope: 'account:read',
  answers: { 200: ClipViews },
  handler: async (service, { caller, params: { id }, reply }) => {
    accepted(await askOwner(service, id, (owner) => owner.readClip(caller.accountId, id)));
    const days = await service.views.read(id);
    return reply(200, {
      clip_id: id,
      since: isoDate(keptDays(service.now()).first),
      total: days.reduce((sum, { views }) => sum + views, 0),
      days: days.map(({ day, views }) => ({ date: isoDate(day), views })),
    });
  },
});

/** The most bytes of the submits of a batch, each with the defaults: a job stores what it was sent. */
const MAX_BATCH_BYTES = 1024 * 1024;

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
    submits.refuse(caller.accountId);
    if (request.headers.has(KEY_HEADER)) {
      const message = 'must not be sent with a batch: each submit has its own idempotency_key';
      throw invalidRequest([{ path: KEY_HEADER, message }]);
    }
    const { value, opaque } = await readJson(request, (path) => path.length > 1 && path.at(-1) === 'extras');
    const parsed = BatchRequest.safeParse(value);
    if (!parsed.success) throw invalidRequest(fieldErrors(parsed.error, BatchRequest));
    const { defaults = {}, clips } = parsed.data;
    const extrasOf = (index: number) => opaque.get(`clips[${index}].extras`) ?? opaque.get('defaults.extras') ?? null;
    let bytes = 0;
    for (const [index, clip] of clips.entries()) {
      bytes += bytesOf({ ...defaults, ...clip, extras: extrasOf(index) });
      if (bytes > MAX_BATCH_BYTES) {
        const detail = `The submits, each with the defaults, may have at most ${MAX_BATCH_BYTES} bytes in all.`;
        throw new ProblemError('body_too_large', detail);
      }
    }
    waitUntil(Promise.all(clips.map(() => submits.count(caller.accountId))));

    const answerTo = async (index: number): Promise<BatchResult> => {
      try {
        const submit = { ...defaults, ...clips[index] };
        const { jobId, status, headers } = await submitOne(service, { caller, requestId }, submit, extrasOf(index));
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

/** Groups indexes: one group for each repeated demo, one for all others. */
function byDemo(demos: readonly unknown[]): number[][] {
  const isAlone = (index: number) => demos.indexOf(demos[index]) === demos.lastIndexOf(demos[index]);
  return [...Map.groupBy(demos.keys(), (index) => (isAlone(index) ? null : demos[index])).values()];
}

export const words = (): Words => ({
  submitClip: {
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
  listClips: {
    summary: 'List clips',
    description:
      'Returns clips, newest first, from an index that is some milliseconds behind. Read a clip by its id for its present state.',
    answers: { 200: answer('A page of clips.', { clips: [CLIP], next_cursor: null }) },
  },
  getClip: {
    summary: 'Read a clip',
    description: 'A deleted clip has the `state` `deleted`. `include` adds its addresses and when it expires.',
    answers: {
      200: {
        description: 'The clip with the included fields.',
        examples: {
          ready: { summary: 'Ready to be watched', value: CLIP },
          more: { summary: 'With `include=urls,expiry`', value: CLIP_DETAIL },
          deleted: { summary: 'Its files are gone', value: { ...CLIP, state: 'deleted' } },
        },
      },
    },
  },
  saveClip: {
    summary: 'Keep a clip for good',
    description: 'A saved clip does not expire. Saving it again changes nothing.',
    answers: { 204: { description: 'The clip is saved.' } },
  },
  unsaveClip: {
    summary: 'Let a clip expire',
    description: 'The clip expires again, counted from when it was rendered.',
    answers: { 204: { description: 'The clip is not saved.' } },
  },
  deleteClip: {
    summary: "Delete a clip's files",
    description:
      'Removes the MP4 and the thumbnail for good. The pages of the clip then say that it was deleted. Deleting it again changes nothing. Running its job again brings the clip back under the same id.',
    answers: { 204: { description: 'The clip is deleted.' } },
  },
  getClipViews: {
    summary: 'Count the views of a clip',
    description:
      'Counts the starts of the clip in a player, by day (UTC), for the last 90 days. The last seconds may be missing. Large numbers may be estimates.',
    answers: {
      200: answer('The days with views.', {
        clip_id: CLIP.id,
        since: '2026-02-04',
        total: 1842,
        days: [
          { date: '2026-05-03', views: 1717 },
          { date: '2026-05-04', views: 125 },
        ],
      }),
    },
  },
  submitBatch: {
    summary: 'Submit many render jobs',
    description:
      'Up to 50 submits that share some of their fields. Each is answered separately: a refused one does not stop the others. Jobs of one demo are queued together, so that a render host that has the demo renders them one after the other. The submits may have 1 MiB in all, each with the defaults; beyond that nothing is submitted (413). With an `idempotency_key` in each, the whole batch can be repeated.',
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
