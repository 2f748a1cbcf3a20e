import { BatchAnswer, BatchRequest } from '#protocol/batch.ts';
import { ClipDetail, ClipQuery, ClipViews } from '#protocol/clip-view.ts';
import { JobRef } from '#protocol/job-view.ts';
import { ClipList, ClipListQuery } from '#protocol/lists.ts';
import type { API_ROUTES } from '#protocol/routes.ts';
import { DIFFERS_HEADER, REPLAYED_HEADER, SubmitRequest } from '#protocol/submit.ts';
import { BATCH, CLIP, CLIP_DETAIL, JOB_ID, ROUND_REQUEST, TIMELINE_REQUEST } from '../examples.ts';
import { type OperationDoc, only } from '../operation.ts';
import { problemExample } from '../problems.ts';

const REF = { schema: JobRef, examples: only({ job_id: JOB_ID }) };

export const CLIP_OPERATIONS = {
  submitClip: {
    tag: 'Clips',
    summary: 'Submit a render job',
    description: [
      'Queues one job, which makes one clip. In **round mode** (`steam64_id`) the service finds the kills of that player, in one `round` or in the whole demo, and joins them. In **timeline mode** (`timeline`) it shows 1 to 20 ranges of ticks, each seen by a player of your choice.',
      'The key decides how the job is queued: the metered key submits best-effort jobs, the reserved key priority jobs. The body is the same. A 2xx means that the job was taken on, not that the clip is ready.',
      'With an `idempotency_key` the same request can be sent again without harm. Every rule that the body breaks is named at once, and an invalid body claims no key.',
    ].join('\n\n'),
    request: {
      schema: SubmitRequest,
      examples: {
        round: { summary: 'The kills of a player in one round', value: ROUND_REQUEST },
        timeline: { summary: 'Two ranges of ticks, seen by two players', value: TIMELINE_REQUEST },
        redo: { summary: 'The same job again, whatever became of it', value: { ...ROUND_REQUEST, force: true } },
      },
    },
    answers: {
      201: { description: 'A new job is queued.', content: REF },
      200: {
        description:
          'The `idempotency_key` named a job that exists: nothing new is queued. With `force`, a finished job runs again in place.',
        headers: {
          [REPLAYED_HEADER]: {
            description: 'There where the request changed nothing.',
            example: 'true',
            isOptional: true,
          },
          [DIFFERS_HEADER]: {
            description:
              'There, too, where the body is another than the one that the job keeps: the key may be a mistake.',
            example: 'true',
            isOptional: true,
          },
        },
        content: REF,
      },
    },
    problems: ['limit_reached'],
  },
  submitBatch: {
    tag: 'Clips',
    summary: 'Submit many render jobs',
    description:
      'Up to 50 submits that share some of their fields. Each is answered on its own, as if it had come alone: one that is refused keeps none of the others from being queued. Those of one demo are kept together, so that a render host that has it makes them one after the other. Give each an `idempotency_key`, and the whole batch can be sent again.',
    request: { schema: BatchRequest, examples: only(BATCH) },
    answers: {
      200: {
        description: 'What became of each submit.',
        content: {
          schema: BatchAnswer,
          examples: only({
            results: [
              { index: 0, status: 201, job_id: JOB_ID, replayed: false, body_differs: false, problem: null },
              {
                index: 1,
                status: 400,
                job_id: null,
                replayed: false,
                body_differs: false,
                problem: problemExample('invalid_request'),
              },
            ],
          }),
        },
      },
    },
  },
  listClips: {
    tag: 'Clips',
    summary: 'List clips',
    description:
      'Newest first, out of an index that follows the clips by some milliseconds. For the present state of one clip, read it by its id.',
    query: ClipListQuery,
    answers: {
      200: {
        description: 'A page of clips.',
        content: { schema: ClipList, examples: only({ clips: [CLIP], next_cursor: null }) },
      },
    },
  },
  getClip: {
    tag: 'Clips',
    summary: 'Read a clip',
    description:
      'A deleted clip is still answered, with `state` set to `deleted`. With `include`, its addresses and when it expires.',
    query: ClipQuery,
    answers: {
      200: {
        description: 'The clip as it stands.',
        content: {
          schema: ClipDetail,
          examples: {
            ready: { summary: 'Ready to be watched', value: CLIP },
            more: { summary: 'With `include=urls,expiry`', value: CLIP_DETAIL },
            deleted: { summary: 'Its files are gone', value: { ...CLIP, state: 'deleted' } },
          },
        },
      },
    },
  },
  saveClip: {
    tag: 'Clips',
    summary: 'Keep a clip for good',
    description: 'A saved clip does not expire. Saving it again changes nothing.',
    answers: { 204: { description: 'The clip is saved.' } },
  },
  unsaveClip: {
    tag: 'Clips',
    summary: 'Let a clip expire',
    description: 'Takes the mark away again. The clip goes when it is old enough, counted from when it was rendered.',
    answers: { 204: { description: 'The clip is not saved.' } },
  },
  deleteClip: {
    tag: 'Clips',
    summary: "Delete a clip's files",
    description:
      'Removes the MP4 and the thumbnail for good; pages of the clip then say that it was deleted. Deleting it again changes nothing. Running its job again brings the clip back under the same id.',
    answers: { 204: { description: 'The clip is deleted.' } },
  },
  getClipViews: {
    tag: 'Clips',
    summary: 'Count the views of a clip',
    description:
      'How often a player began to play it, by day (UTC), for the last 90 days. What was watched within the last seconds may be missing; of a clip that very many watch the numbers may be estimates.',
    answers: {
      200: {
        description: 'The days with views.',
        content: {
          schema: ClipViews,
          examples: only({
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
    },
  },
} as const satisfies Partial<Record<keyof typeof API_ROUTES, OperationDoc>>;
