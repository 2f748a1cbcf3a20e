import { DeliveryList, DeliveryRef } from '../../protocol/delivery-view.ts';
import { JobNotice } from '../../protocol/job-notice.ts';
import { JobRef, JobView } from '../../protocol/job-view.ts';
import { JobList, JobListQuery } from '../../protocol/lists.ts';
import type { API_ROUTES } from '../../protocol/routes.ts';
import { DELIVERY, DELIVERY_ID, DONE_JOB, JOB_ID, LISTED_JOB, NOTICES, RETRYING_JOB } from '../examples.ts';
import { type OperationDoc, only } from '../operation.ts';

export const JOB_OPERATIONS = {
  listJobs: {
    tag: 'Jobs',
    summary: 'List jobs',
    description:
      'Newest first, without their payloads, out of an index that follows the jobs by some milliseconds. Either key lists every job of the account.',
    query: JobListQuery,
    answers: {
      200: {
        description: 'A page of jobs.',
        content: { schema: JobList, examples: only({ jobs: [LISTED_JOB], next_cursor: `1777919400000_${JOB_ID}` }) },
      },
    },
  },
  getJob: {
    tag: 'Jobs',
    summary: 'Read a job',
    description:
      'The state of the job at this moment, and what it was asked to make. `extras` is told as JSON text here; the webhook gives it back as you sent it.',
    answers: {
      200: {
        description: 'The job as it stands.',
        content: {
          schema: JobView,
          examples: {
            done: { summary: 'Rendered', value: DONE_JOB },
            retrying: { summary: 'Waiting for its next attempt', value: RETRYING_JOB },
          },
        },
      },
    },
  },
  watchJob: {
    tag: 'Jobs',
    summary: 'Follow a job',
    description:
      'Server-sent events: the present state at once, then every change and all progress, until the job has finished and the stream ends. Connect again if it breaks before that; the first event is always the present state.',
    answers: {
      200: { description: 'A stream of events.', content: { eventSchema: JobNotice, events: NOTICES } },
    },
    problems: ['limit_reached'],
  },
  resubmitJob: {
    tag: 'Jobs',
    summary: 'Run a job again',
    description:
      'In place: the same job id, the request as it is stored, the same webhook destination. The clip is overwritten under its id once the run succeeds. A webhook that is still on its way is canceled, and the new outcome sends its own. For a `retrying` job this only ends the wait: the attempts made so far still count.',
    answers: {
      200: {
        description: 'The job is `pending` again.',
        content: { schema: JobRef, examples: only({ job_id: JOB_ID }) },
      },
    },
    problems: ['job_in_flight'],
  },
  resendWebhook: {
    tag: 'Jobs',
    summary: 'Send the outcome webhook again',
    description:
      'The latest outcome, to the same address and with the same body, without rendering anything. It is a delivery of its own with its own id and its own ten attempts, so your receiver takes it for a new event. At most 20 of a job may be on their way at a time.',
    answers: {
      200: {
        description: 'The webhook is queued.',
        headers: {
          'RateLimit-Policy': {
            description: 'How many are taken in how many seconds.',
            example: '"resends";q=60;w=3600',
          },
          RateLimit: { description: 'How many are left.', example: '"resends";r=59;t=3600' },
        },
        content: { schema: DeliveryRef, examples: only({ delivery_id: DELIVERY_ID }) },
      },
    },
    problems: ['job_in_flight', 'no_webhook', 'too_many_deliveries', 'rate_limited'],
  },
  listDeliveries: {
    tag: 'Jobs',
    summary: "See a job's webhooks",
    description:
      'The latest 100 webhooks of the job, oldest first, with each attempt: when it was made and what your receiver said.',
    answers: {
      200: {
        description: 'The webhooks.',
        content: { schema: DeliveryList, examples: only({ deliveries: [DELIVERY] }) },
      },
    },
  },
} as const satisfies Partial<Record<keyof typeof API_ROUTES, OperationDoc>>;
