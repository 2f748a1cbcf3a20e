import { AdminListQuery } from '#protocol/admin.ts';
import {
  AllJobs,
  AllJobsQuery,
  AuditList,
  AuditQuery,
  ConsoleSession,
  JobStoryView,
  NewOperator,
  OperatorList,
  OperatorOnce,
  Overview,
  OverviewQuery,
  ResendRequest,
  Resent,
  TroubleList,
  TroubleQuery,
} from '#protocol/operate.ts';
import type { CONSOLE_ROUTES, METRICS_ROUTES, OPERATE_ROUTES } from '#protocol/service-routes.ts';
import { ACCOUNT_ID, DELIVERY_ID, DONE_JOB, JOB_ID, LISTED_JOB } from '../examples.ts';
import { type OperationDoc, only } from '../operation.ts';
import { RECOVERY_OPERATIONS } from './recovery.ts';

const tag = 'Administration';
const AT = '2026-05-04T18:32:00.000Z';
const HOST_ID = 'd92b6e04-75fa-4c31-9e8d-0a3c1f7b5628';
const OPERATOR_ID = '4be1c6d2-90f7-4a35-8c1d-e2f5a7093b64';
const NO_MORE = { next_cursor: null };

const DELIVERY = {
  id: DELIVERY_ID,
  event: 'job.completed',
  status: 'exhausted',
  url: 'https://app.example.com/hooks/tickreel',
  created_at: AT,
  next_attempt_at: null,
  attempts: [{ attempt: 10, at: AT, http_status: 500, error: 'it answered 500' }],
};

const OVERVIEW = {
  at: AT,
  queue: [
    { tier: 'reserved', waiting: 0, oldest_s: null },
    { tier: 'metered', waiting: 12, oldest_s: 40 },
  ],
  running: 3,
  hosts: { busy: 3, idle: 1 },
  webhooks: { failing: 2, exhausted: 0, given_up: 0 },
  clips: { count: 1842, bytes: 34_766_585_856 },
  days: [{ day: '2026-05-04', done: 96, rendered_seconds: 1311.5, failed: { demo_404: 4 } }],
};

const STORY = {
  job: DONE_JOB,
  account_id: ACCOUNT_ID,
  clip_id: DONE_JOB.clip_id,
  run: 1,
  attempt: 2,
  host_seconds: 41,
  queued_at: AT,
  retry_at: null,
  error_detail: null,
  progress: null,
  lease: null,
  attempts: [
    {
      run: 1,
      attempt: 1,
      host_id: HOST_ID,
      granted_at: AT,
      ended_at: AT,
      code: 'cs2_unavailable',
      detail: 'the game has ended by itself',
      log: '{"level":50,"msg":"the game has ended"}\n',
    },
  ],
  deliveries: [DELIVERY],
  clip: {
    state: 'ready',
    is_saved: false,
    title: '3 kills by Ferris on de_nuke',
    duration_seconds: 14.5,
    rendered_at: AT,
    rendered_by: HOST_ID,
    video: { key: 'clips/…/2/video.mp4', bytes: 18_874_368, sha256: '…' },
    thumbnail: { key: 'clips/…/2/thumbnail.jpg', bytes: 74_112, sha256: '…' },
  },
};

export const OPERATE_OPERATIONS = {
  getOverview: {
    tag,
    summary: 'See the service at a glance',
    description: 'What waits, who works, what fails and what is stored. It costs alike however much waits.',
    query: OverviewQuery,
    answers: {
      200: {
        description: 'The overview.',
        content: {
          schema: Overview,
          examples: only(OVERVIEW),
        },
      },
    },
  },
  watchOverview: {
    tag,
    summary: 'Follow the overview',
    description: 'One event; then the stream ends, and asks its reader to come again in five seconds.',
    answers: {
      200: { description: 'The overview of today.', content: { eventSchema: Overview, events: [OVERVIEW] } },
    },
  },
  listAllJobs: {
    tag,
    summary: 'List jobs of all accounts',
    description:
      'Newest first. A filter is looked for among some thousand jobs at a time: go on while there is a `next_cursor`, also after a short page.',
    query: AllJobsQuery,
    answers: {
      200: {
        description: 'The jobs.',
        content: {
          schema: AllJobs,
          examples: only({ jobs: [{ ...LISTED_JOB, account_id: ACCOUNT_ID, webhook: null }], ...NO_MORE }),
        },
      },
    },
  },
  getJobStory: {
    tag,
    summary: 'Read the whole story of a job',
    description: 'Its attempts with their hosts, its webhooks and its files.',
    answers: { 200: { description: 'The story.', content: { schema: JobStoryView, examples: only(STORY) } } },
  },
  ...RECOVERY_OPERATIONS,
  listTroubles: {
    tag,
    summary: 'List webhooks that have not arrived',
    description: 'Of all accounts, the oldest first; of each job the last one.',
    query: TroubleQuery,
    answers: {
      200: {
        description: 'The webhooks.',
        content: {
          schema: TroubleList,
          examples: only({
            deliveries: [
              { job_id: JOB_ID, account_id: ACCOUNT_ID, trouble: 'exhausted', created_at: AT, delivery: DELIVERY },
            ],
            ...NO_MORE,
          }),
        },
      },
    },
  },
  resendTroubles: {
    tag,
    summary: 'Send webhooks again',
    description: 'Of the jobs that are named, or of all whose webhook is exhausted, a hundred with each call.',
    request: {
      schema: ResendRequest,
      examples: {
        some: { summary: 'Of one job', value: { job_ids: [JOB_ID] } },
        all: { summary: 'Of all', value: { all: 'exhausted' } },
      },
    },
    answers: {
      200: {
        description: 'What became of it.',
        content: { schema: Resent, examples: only({ resent: 1, refused: [], ...NO_MORE }) },
      },
    },
  },
  listAudit: {
    tag,
    summary: 'See who changed what',
    description: 'Every change that an operator made, the latest first.',
    query: AuditQuery,
    answers: {
      200: {
        description: 'The changes.',
        content: {
          schema: AuditList,
          examples: only({
            entries: [
              {
                at: AT,
                operator_id: OPERATOR_ID,
                operator: 'Ada',
                action: 'changeHost',
                target: { id: HOST_ID },
                changes: '{"hold":"paused"}',
                status: 200,
                request_id: '0a6f2f5e-5a1b-4c37-9a52-7f6f1c0f4e11',
              },
            ],
            ...NO_MORE,
          }),
        },
      },
    },
  },
  listOperators: {
    tag,
    summary: 'List operators',
    description: 'Oldest first; whoever shows the token of the deployment is not among them.',
    query: AdminListQuery,
    answers: {
      200: {
        description: 'The operators.',
        content: {
          schema: OperatorList,
          examples: only({
            operators: [{ operator_id: OPERATOR_ID, name: 'Ada', role: 'operate', created_at: AT, revoked_at: null }],
            ...NO_MORE,
          }),
        },
      },
    },
  },
  createOperator: {
    tag,
    summary: 'Let an operator in',
    description: 'Makes a token that does what its role allows.',
    request: { schema: NewOperator, examples: only({ name: 'Ada', role: 'operate' }) },
    answers: {
      201: {
        description: 'The token, shown this once.',
        content: {
          schema: OperatorOnce,
          examples: only({ operator_id: OPERATOR_ID, name: 'Ada', role: 'operate', token: 'tr_op_…' }),
        },
      },
    },
  },
  revokeOperator: {
    tag,
    summary: "Revoke an operator's token",
    description: 'Its token is refused everywhere within 30 seconds; its sessions of the console end at once.',
    answers: { 204: { description: 'The token is revoked.' } },
  },
} satisfies Record<keyof typeof OPERATE_ROUTES, OperationDoc>;

export const METRICS_OPERATIONS: Record<keyof typeof METRICS_ROUTES, OperationDoc> = {
  getMetrics: {
    tag,
    summary: 'Scrape the metrics',
    description: 'In OpenMetrics, for Prometheus and its like. It costs alike however much waits.',
    answers: { 200: { description: 'The metrics.', content: { types: ['application/openmetrics-text'] } } },
  },
};

const SESSION = {
  schema: ConsoleSession,
  examples: only({ name: 'Ada', role: 'operate' }),
};
export const CONSOLE_OPERATIONS = {
  getSession: {
    tag,
    summary: 'See whose session the console has',
    description: 'By its cookie, or by a token.',
    answers: { 200: { description: 'The operator.', content: SESSION } },
  },
  beginSession: {
    tag,
    summary: 'Begin a session of the console',
    description:
      'Needs a token; a session cannot begin another one. The answer sets a cookie that is good for an hour, and that no script can read.',
    answers: { 200: { description: 'The operator.', content: SESSION } },
  },
  endSession: {
    tag,
    summary: 'End a session of the console',
    description: 'Removes its cookie. The session is refused from now on.',
    answers: { 204: { description: 'The session is over.' } },
  },
} satisfies Record<keyof typeof CONSOLE_ROUTES, OperationDoc>;
