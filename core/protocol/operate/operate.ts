import * as z from 'zod';
import { TIERS } from '#domain/account/account.ts';
import { RENDERERS } from '#domain/host/need.ts';
import { WAIT_REASONS } from '#domain/host/wait.ts';
import { TROUBLES } from '#domain/job/delivery.ts';
import { JOB_STATUSES } from '#domain/job/job.ts';
import { ROLES } from '#domain/operate/operator.ts';
import { Removal } from '../clip/clip-view.ts';
import { DeliveryView } from '../job/delivery-view.ts';
import { QueuePlace } from '../job/job-detail.ts';
import { JobView, jobFields } from '../job/job-view.ts';
import { WebhookTested } from '../job/webhook-tools.ts';
import { isWindow, limitOf, NO_WINDOW, next_cursor, page } from '../lib/lists.ts';
import { MaintenanceView } from './controls.ts';

/** The operators' view of all accounts. */

const tier = z.enum(TIERS);
const time = (description: string) => z.iso.datetime().meta({ description });
const timeOrNull = (description: string) => z.iso.datetime().nullable().meta({ description });
const count = (description: string) => z.int().meta({ description });
const uuid = (description: string) => z.uuid().meta({ description });
const text = (description: string) => z.string().nullable().meta({ description });
const account_name = text('The name of the account.');
const host_name = text('The name of the host.');
const trouble = z.enum(TROUBLES, `must be one of ${TROUBLES.join(', ')}`).meta({
  description:
    'The trouble of a webhook. `failing`: an attempt failed, and another follows. `exhausted`: no attempt is left.',
});

export const OverviewQuery = z.strictObject({ days: limitOf(14) });
export const Overview = z
  .object({
    at: time('Time of the count, in UTC.'),
    firing: z
      .array(
        z.object({
          alert: z.string().meta({ description: 'The name of the alert.' }),
          text: z.string().meta({ description: 'The alert as a sentence, with its numbers.' }),
          since: timeOrNull('Time when the cron first saw it. Null before that.'),
          help: z.string().meta({ description: 'Instructions in Markdown. docs/operate.md has more.' }),
        }),
      )
      .meta({ description: 'The alerts that fire now.' }),
    alerts: z
      .object({
        receiver: text('Host name of `ALERT_WEBHOOK_URL`. Null if it is not set.'),
        last_sent: timeOrNull('Time of the last alert that the receiver accepted. Null for none.'),
        last_error: z
          .object({
            since: time('Time of the first failure.'),
            error: z.string().meta({ description: 'The last error message.' }),
          })
          .nullable()
          .meta({
            description: 'The failure to send alerts. Null if there is none. Every run of the cron tries again.',
          }),
      })
      .meta({ description: 'The receiver of alerts and its state.' }),
    maintenance: MaintenanceView.nullable().meta({
      description: 'The maintenance in progress. Null while new work is accepted.',
    }),
    queue: z
      .array(
        z.object({
          tier: tier.meta({ description: 'The kind of key that submitted the jobs.' }),
          waiting: count('Number of jobs that wait for a host.'),
          oldest_s: z.int().nullable().meta({
            description: 'Seconds that the oldest of these jobs has waited, rounded to ten. Null without a job.',
          }),
        }),
      )
      .meta({ description: 'Jobs that wait, by tier.' }),
    waits: z
      .array(
        z.object({
          jobs: count('Number of jobs that wait for this reason.'),
          oldest_s: count('Seconds that the oldest of these jobs has waited, rounded to ten. Null without a job.'),
          reason: z.enum(WAIT_REASONS).meta({ description: 'The reason for the wait.' }),
          text: QueuePlace.shape.text,
          hosts: QueuePlace.shape.hosts,
          until: QueuePlace.shape.until,
          needs: z
            .object({
              resolution: z.number(),
              fps: z.number().meta({ description: 'Upper bound of the frame rates of these jobs.' }),
              renderer: z.enum(RENDERERS).nullable(),
              labels: z.array(z.string()),
              skills: z.array(z.string()),
              refused_builds: z.array(z.string()).meta({ description: 'Builds that could not play the demo.' }),
            })
            .meta({ description: 'The requirements of these jobs for a host.' }),
        }),
      )
      .meta({
        description: 'Reasons why jobs wait, by their requirements for a host. The reason of the most jobs is first.',
      }),
    running: count('Number of jobs that hosts work on.'),
    hosts: z
      .record(z.string(), z.int())
      .meta({ description: 'Number of hosts that called within a day, by their state in the dispatcher.' }),
    webhooks: z
      .object({
        failing: count('Number of jobs whose webhook failed and has attempts left.'),
        exhausted: count('Number of jobs whose webhook has no attempt left.'),
        given_up: count('Number of those `exhausted` jobs whose webhook was given up within the last day.'),
      })
      .meta({ description: 'Jobs whose last webhook has not arrived. Each count stops at 10,000.' }),
    clips: z
      .object({ count: count('Number of clips that can be played.'), bytes: count('Size of their files in bytes.') })
      .meta({
        description:
          'Stored clips at the last count, which is of today, or of the last run of the cron if there are few clips.',
      }),
    speed: z
      .object({
        clips_an_hour: count('Number of clips in the last hour. Over 200, the rate of the last 200.'),
        p50_s: z.number().nullable().meta({
          description: 'Seconds from submit to clip that half of the clips need at most. Null without clips.',
        }),
        p95_s: z
          .number()
          .nullable()
          .meta({ description: 'Seconds from submit to clip that 95 of 100 clips need at most. Null without clips.' }),
        clips: count('Number of clips in the sample: the last 200 of the last day, without re-rendered ones.'),
      })
      .meta({ description: 'The speed of rendering, without saved clips. At most a minute old.' }),
    wrong_variables: z
      .array(
        z.object({
          variable: z.string().meta({ description: 'The name of the variable.' }),
          problem: z
            .string()
            .meta({ description: 'The rule that the value breaks, and what the service does instead.' }),
        }),
      )
      .meta({ description: 'Variables and secrets of the deployment that are wrong.' }),
    days: z
      .array(
        z.object({
          day: z.iso.date().meta({ description: 'The day in UTC.' }),
          done: count('Number of runs that made a clip.'),
          rendered_seconds: z.number().meta({ description: 'Seconds of clip that these runs made.' }),
          failed: z.record(z.string(), z.int()).meta({ description: 'Number of failed runs, by code.' }),
        }),
      )
      .meta({ description: 'The latest days, oldest first, each by what ended on it.' }),
  })
  .meta({ id: 'Overview', description: 'The service at a glance.' });
export type Overview = z.infer<typeof Overview>;

export const AlertTested = WebhookTested.omit({ delivery_id: true, signatures: true }).meta({
  id: 'AlertTested',
  description: 'The result of a test alert.',
});
export type AlertTested = z.infer<typeof AlertTested>;
export const SearchQuery = z.strictObject({
  q: z.string().trim().min(1).max(300).meta({ description: 'An id, an address, an idempotency key or a name.' }),
  account: z.uuid('must be a UUID').optional().meta({ description: 'The account of the idempotency key.' }),
});
export const SearchAnswer = z
  .object({
    results: z.array(
      z.object({
        kind: z.enum(['job', 'clip', 'account', 'host']).meta({ description: 'The kind of the found object.' }),
        id: uuid('Id of the found object.'),
        name: z.string().meta({ description: 'Name of the account or host, title of the clip, or state of the job.' }),
        job_id: z
          .uuid()
          .nullable()
          .meta({ description: 'Id of the found job, or of the job of the clip. Null for others.' }),
        account_id: z.uuid().nullable().meta({ description: 'Id of the account that owns it. Null for a host.' }),
        account_name,
      }),
    ),
    accounts_tried: count('Number of accounts whose idempotency keys were compared, the oldest first.'),
    is_every_account: z.boolean().meta({ description: 'Whether all accounts were tried. If not, name the account.' }),
  })
  .meta({ id: 'SearchAnswer', description: 'The results of a search.' });

export const AllJobsQuery = z
  .strictObject({
    ...page,
    account: z.uuid('must be a UUID').optional().meta({ description: 'Return only jobs of this account.' }),
    status: z
      .enum(JOB_STATUSES, `must be one of ${JOB_STATUSES.join(', ')}`)
      .optional()
      .meta({ description: 'Return only jobs in this state.' }),
    mode: z
      .enum(['round', 'timeline', 'inspect'], 'must be round, timeline or inspect')
      .optional()
      .meta({ description: 'Return only jobs of this mode.' }),
    tier: tier.optional().meta({ description: 'Return only jobs that this kind of key submitted.' }),
    error_code: z.string().max(40).optional().meta({ description: 'Return only jobs with this error code.' }),
  })
  .refine(isWindow, NO_WINDOW);

const AnyJob = z
  .object({
    ...jobFields,
    account_id: uuid('Id of the account of the job.'),
    account_name,
    title: text('The title of the clip. Null before the first clip.'),
    mode: z.enum(['round', 'timeline', 'inspect']).meta({
      description: 'The way in which the moments of the clip were chosen. `inspect` is an inspection of a demo.',
    }),
    webhook: trouble.nullable().meta({ description: 'The trouble of its last webhook. Null for none.' }),
    waits: text('The reason why the job waits. Null unless it is `pending` or `retrying`.'),
  })
  .meta({ id: 'AnyJob', description: 'Cancels a job of any account.' });
export const AllJobs = z.object({ jobs: z.array(AnyJob), next_cursor }).meta({
  id: 'AllJobs',
  description:
    'A page of jobs, newest first. With a filter it may be short, even empty, while `next_cursor` leads to more: each page looks at some thousand jobs.',
});

export const JobStoryQuery = z.strictObject({
  host: z.uuid('must be a UUID').optional().meta({ description: 'Return only attempts of this host.' }),
  fence: z.coerce
    .number()
    .pipe(z.int().min(1))
    .optional()
    .meta({ description: 'Return only the attempt with this `fence`.', override: { type: 'integer', minimum: 1 } }),
});
const StoredFile = z.object({
  key: z.string().meta({ description: 'Key of the file in the bucket.' }),
  bytes: count('Size of the file in bytes.'),
  sha256: z.string().meta({ description: 'SHA-256 of the file, in lower-case hexadecimal.' }),
});
export const JobStoryView = z
  .object({
    job: JobView,
    account_id: uuid('Id of the account of the job.'),
    account_name,
    clip_id: uuid('Id of the clip that the job makes.'),
    run: count('Number of the run. The first is 1, and each re-run in place adds one.'),
    attempt: count('Number of attempts that began in this run.'),
    host_seconds: count('Seconds that hosts worked on attempts of this run that made no clip.'),
    queued_at: time('Time when this run was queued.'),
    retry_at: timeOrNull('Time of the next attempt. Null for none.'),
    error_detail: text('The error message of the host for `error_code`.'),
    progress: z
      .number()
      .nullable()
      .meta({ description: 'Share of the job that is done, from 0 to 1. Null without a recent heartbeat.' }),
    queue: QueuePlace.nullable().meta({
      description: 'The reason why the job waits. Null if it does not wait.',
    }),
    lease: z
      .object({
        host_id: z.string().meta({ description: 'Id of the host that has the job.' }),
        host_name,
        granted_at: time('Time when the host got the job.'),
        deadline: time('Time when the lease ends, unless a heartbeat extends it.'),
        is_confirmed: z.boolean().meta({ description: 'Whether the host has confirmed the lease.' }),
      })
      .nullable()
      .meta({ description: 'The lease of the host that has the job. Null if no host has it.' }),
    attempts: z
      .array(
        z.object({
          run: count('Number of the run, from 1.'),
          attempt: count('Number of the attempt in its run.'),
          fence: count('The number of its lease, unique in the job.'),
          host_id: z.string().meta({ description: 'Id of the host.' }),
          host_name,
          game_build: text('Build of the game on the host. Null for a host without the game.'),
          granted_at: time('Time when the host got the job.'),
          ended_at: time('Time when the attempt ended.'),
          code: text('The error code of the attempt. Null if the host handed the job back or never got it.'),
          detail: text('The error message of the host.'),
          log: text(
            "The end of the host's log of the job. Null if it sent none. Times of JSON lines are seconds since `granted_at`, by the clock of the host.",
          ),
        }),
      )
      .meta({ description: 'The latest 20 attempts that made no clip, oldest first.' }),
    deliveries: z.array(DeliveryView).meta({ description: 'Webhooks of the job, oldest first.' }),
    clip: z
      .object({
        state: z.enum(['ready', 'deleted']).meta({ description: 'Whether the files of the clip are stored.' }),
        is_saved: z.boolean().meta({ description: 'Whether the clip is kept for good.' }),
        title: z.string().meta({ description: 'The title of the clip.' }),
        duration_seconds: z.number().meta({ description: 'Length of the clip in seconds.' }),
        rendered_at: time('Time when the clip was rendered.'),
        rendered_by: text('Id of the host that made the clip.'),
        host_name,
        video: StoredFile.meta({ description: 'The MP4 file of the clip.' }),
        thumbnail: StoredFile.meta({ description: 'The JPEG file of the clip.' }),
        removal: Removal.nullable().meta({ description: 'The removal by an operator. Null for none.' }),
      })
      .nullable()
      .meta({ description: 'The clip of the job. Null before the first success.' }),
  })
  .meta({ id: 'JobStory', description: 'All stored data of a job, without the header of its webhook.' });
export type JobStoryView = z.input<typeof JobStoryView>;

export const TroubleQuery = z.strictObject({
  limit: page.limit,
  cursor: page.cursor,
  trouble: trouble.optional(),
  account: z.uuid('must be a UUID').optional().meta({ description: 'Return only webhooks of this account.' }),
});
export const TroubleList = z
  .object({
    deliveries: z.array(
      z
        .object({
          job_id: uuid('Id of the job.'),
          account_id: uuid('Id of the account of the job.'),
          account_name,
          trouble,
          created_at: time('Time when the webhook was created.'),
          delivery: DeliveryView.nullable().meta({
            description: 'The webhook itself. Null if its job does not answer.',
          }),
        })
        .meta({ id: 'FailingDelivery', description: 'A webhook that has not arrived.' }),
    ),
    next_cursor,
  })
  .meta({ id: 'FailingDeliveryList', description: 'A page of webhooks that have not arrived, the oldest first.' });

export const ResendRequest = z
  .strictObject({
    job_ids: z
      .array(z.uuid('must be a UUID'))
      .min(1)
      .max(100)
      .optional()
      .meta({ description: 'Send again the webhooks of these jobs.' }),
    all: z
      .literal('exhausted')
      .optional()
      .meta({ description: 'Send again the webhooks of all jobs whose webhook is exhausted.' }),
    account: z.uuid('must be a UUID').optional().meta({ description: 'Limit `all` to this account.' }),
    cursor: page.cursor.meta({ description: 'The `next_cursor` of the previous answer. Needs `all`.' }),
  })
  .refine(({ job_ids, all }) => (job_ids === undefined) !== (all === undefined), {
    path: ['job_ids'],
    error: 'must be given, or `all`, but not both',
  })
  .meta({ id: 'ResendRequest', description: 'The webhooks to send again.' });
export const Resent = z
  .object({
    resent: count('Number of webhooks that are queued again.'),
    refused: z
      .array(
        z.object({
          job_id: uuid('Id of the job.'),
          reason: z.string().meta({ description: 'The reason why the webhook cannot be sent now.' }),
        }),
      )
      .meta({ description: 'Webhooks that are not sent again.' }),
    next_cursor,
  })
  .meta({ id: 'Resent', description: 'The result of a resend. `next_cursor` continues `all` after a hundred jobs.' });

export const AuditQuery = z.strictObject({ limit: page.limit, cursor: page.cursor });
export const AuditList = z
  .object({
    entries: z.array(
      z
        .object({
          at: time('Time of the change, in UTC.'),
          operator_id: z.uuid().nullable().meta({
            description: 'Id of the operator, or of the key of an account. Null for the token of the deployment.',
          }),
          operator: z.string().meta({ description: 'The name of the operator at that time, or the hint of the key.' }),
          action: z.string().meta({ description: 'Id of the operation, such as `createKey`.' }),
          target: z
            .record(z.string(), z.string())
            .meta({ description: 'Ids of the objects that were changed or made. For a batch, its counts.' }),
          target_name: text('The name of the changed object. Null if it has none.'),
          changes: text('The request body, cut after 2000 characters. Null for none.'),
          status: z
            .int()
            .nullable()
            .meta({ description: 'HTTP status of the answer. Null if the request was interrupted.' }),
          request_id: uuid('Id of the request, as in `X-Request-Id`.'),
        })
        .meta({
          id: 'AuditEntry',
          description: 'A change that an operator made, or a key that an account made or revoked.',
        }),
    ),
    next_cursor,
  })
  .meta({ id: 'AuditList', description: 'A page of changes, the latest first.' });

const role = z.enum(ROLES).meta({
  description: '`read` looks; `operate` also holds hosts and sends webhooks again; `admin` does everything.',
});
const name = z.string().trim().min(1).max(100).meta({ description: 'The name that people see in lists.' });
const operator_id = uuid('Id of the operator, for revoking the token.');
export const ConsoleSession = z
  .object({ name: z.string().meta({ description: 'The name of the operator.' }), role })
  .meta({ id: 'ConsoleSession', description: "The operator of the console's session." });
export const NewOperator = z
  .strictObject({ name, role })
  .meta({ id: 'NewOperator', description: 'An operator to create.' });
export const OperatorOnce = z
  .object({
    operator_id,
    name,
    role,
    token: z.string().meta({ description: 'The token itself. It is shown only once.' }),
  })
  .meta({ id: 'OperatorOnce', description: 'A new operator with the token.' });
export const OperatorList = z
  .object({
    operators: z.array(
      z
        .object({
          operator_id,
          name,
          role,
          created_at: time('Time when the token was made.'),
          revoked_at: timeOrNull('Time of revocation. Null while the token is valid.'),
        })
        .meta({ id: 'Operator', description: 'An operator without the token.' }),
    ),
    next_cursor,
  })
  .meta({ id: 'OperatorList', description: 'A page of operators, the oldest first.' });
