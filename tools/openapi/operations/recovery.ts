import { CheckClips, CheckedClips, Recovered, RecoverRequest, Reindexed, ReindexRequest } from '#protocol/recovery.ts';
import type { OPERATE_ROUTES } from '#protocol/service-routes.ts';
import { ACCOUNT_ID, DONE_JOB, JOB_ID } from '../examples.ts';
import { type OperationDoc, only } from '../operation.ts';

const tag = 'Administration';

export const RECOVERY_OPERATIONS = {
  recoverJob: {
    tag,
    summary: 'Take a job back to an earlier state',
    description:
      "The job's object is restored as it was at a time, or at a bookmark, by the platform's point-in-time recovery: its state, webhooks and attempts, not files. The index and viewers then hear of it as it is. A local runtime keeps no earlier states and answers 501.",
    request: { schema: RecoverRequest, examples: only({ at: '2026-05-04T18:32:00.000Z' }) },
    answers: {
      200: {
        description: 'The job is as it was then.',
        content: {
          schema: Recovered,
          examples: only({
            job_id: JOB_ID,
            status: 'done',
            undo_bookmark: '0000007b-0000b26e-00001538-0c3e87bb37b3db5c',
          }),
        },
      },
    },
    problems: ['not_implemented'],
  },
  reindexJobs: {
    tag,
    summary: 'Write the index anew from the jobs',
    description:
      'For an index that was restored or lost: each object that is named writes its rows, and what viewers see, where these are behind. It may be repeated, and changes nothing where all is well.',
    request: { schema: ReindexRequest, examples: only({ objects: ['5f'.repeat(32)] }) },
    answers: {
      200: {
        description: 'What became of each.',
        content: { schema: Reindexed, examples: only({ indexed: 1, current: 0, empty: 0, failed: [] }) },
      },
    },
  },
  checkClips: {
    tag,
    summary: 'Look for clips without their files',
    description:
      'A page of all clips, in the order of their ids. With `resubmit`, those that lack a file are rendered again in place: their clients are told of a new outcome.',
    request: { schema: CheckClips, examples: only({ resubmit: true }) },
    answers: {
      200: {
        description: 'What is there, and what is not.',
        content: {
          schema: CheckedClips,
          examples: only({
            checked: 200,
            lost: [{ clip_id: DONE_JOB.clip_id, job_id: JOB_ID, account_id: ACCOUNT_ID, missing: ['video'] }],
            resubmitted: 1,
            next_cursor: null,
          }),
        },
      },
    },
  },
} satisfies Partial<Record<keyof typeof OPERATE_ROUTES, OperationDoc>>;
