import { DeliveryList, DeliveryRef } from '#protocol/delivery-view.ts';
import { JobDetail, JobQuery } from '#protocol/job-detail.ts';
import { JobNotice } from '#protocol/job-notice.ts';
import { JobRef } from '#protocol/job-view.ts';
import { JobList, JobListQuery } from '#protocol/lists.ts';
import type { API_ROUTES } from '#protocol/routes.ts';
import {
  DELIVERY,
  DELIVERY_ID,
  DIAGNOSED_JOB,
  DONE_JOB,
  JOB_ID,
  LISTED_JOB,
  NOTICES,
  RETRYING_JOB,
} from '../examples.ts';
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
      'The state of the job at this moment, and what it was asked to make. `extras` is told as JSON text here; the webhook gives it back as you sent it. With `include`, why it failed, each attempt with its host and what that found, how far it is, and its place in the queue.',
    query: JobQuery,
    answers: {
      200: {
        description: 'The job as it stands.',
        content: {
          schema: JobDetail,
          examples: {
            done: { summary: 'Rendered', value: DONE_JOB },
            retrying: { summary: 'Waiting for its next attempt', value: RETRYING_JOB },
            diagnosed: { summary: 'Failed, with `include`', value: DIAGNOSED_JOB },
          },
        },
      },
    },
  },
  watchJob: {
    tag: 'Jobs',
    summary: 'Follow a job',
    description:
      'Server-sent events: the present state at once, then every change and all progress, until the job has finished and the stream ends. A comment every 15 seconds shows that it is open. Connect again if it ends before that, as it does after an hour; the first event is always the present state. With the id of the last event as `Last-Event-ID`, a client that knows the outcome already is answered with 204. `include` is that of the job; with `queue`, its place is sent again while it waits.',
    query: JobQuery,
    headers: { 'Last-Event-ID': { description: 'The id of the last event that was seen.', example: '7' } },
    answers: {
      200: { description: 'A stream of events.', content: { eventSchema: JobNotice, events: NOTICES } },
      204: { description: 'The job has finished, and `Last-Event-ID` is of its outcome.' },
    },
    problems: ['limit_reached'],
  },
  cancelJob: {
    tag: 'Jobs',
    summary: 'Cancel a job',
    description:
      'Ends a job that has not finished: it is in `error` with the code `canceled`, and its `job.failed` webhook goes out. A render host that works on it hears so with its next heartbeat and drops the work. Canceling it again changes nothing. It can be run again like any job that failed.',
    answers: {
      200: { description: 'The job is canceled.', content: { schema: JobRef, examples: only({ job_id: JOB_ID }) } },
    },
    problems: ['job_finished'],
  },
  resubmitJob: {
    tag: 'Jobs',
    summary: 'Run a job again',
    description:
      'In place: the same job id, the request as it is stored, the same webhook destination. The clip is overwritten under its id once the run succeeds. A webhook that is still on its way is canceled, and the new outcome sends its own. For a `retrying` job this only ends the wait: the attempts made so far still count. It counts as a submit and as an unfinished job, and a job is run again at most 60 times in an hour.',
    answers: {
      200: {
        description: 'The job is `pending` again.',
        content: { schema: JobRef, examples: only({ job_id: JOB_ID }) },
      },
    },
    problems: ['job_in_flight', 'request_forgotten', 'limit_reached'],
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
