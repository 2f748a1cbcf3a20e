import * as z from 'zod';
import { TIERS } from '#domain/account/account.ts';
import { RENDERERS } from '#domain/host/need.ts';
import { WAIT_REASONS } from '#domain/host/wait.ts';
import { TROUBLES } from '#domain/job/delivery.ts';
import { ROLES } from '#domain/operate/operator.ts';
import { Removal } from '../clip/clip-view.ts';
import { DeliveryView } from '../job/delivery-view.ts';
import { QueuePlace } from '../job/job-detail.ts';
import { JobListQuery } from '../job/job-list.ts';
import { JobView, jobFields } from '../job/job-view.ts';
import { WebhookTested } from '../job/webhook-tools.ts';
import * as field from '../lib/fields.ts';
import { isWindow, limitOf, NO_WINDOW, next_cursor, page } from '../lib/lists.ts';
import { Name } from '../lib/shapes.ts';
import { MaintenanceView } from './controls.ts';

/** The operators' view of all accounts. */

const tier = z.enum(TIERS);
const account_name = field.textOrNull('The name of the account.');
const host_name = field.textOrNull('The name of the host.');
const trouble = z
  .enum(TROUBLES, `must be one of ${TROUBLES.join(', ')}`)
  .describe(
    'The trouble of a webhook. `failing`: an attempt failed, and another follows. `exhausted`: no attempt is left.',
  );

export const OverviewQuery = z.strictObject({ days: limitOf(14) });
export const Overview = z
  .object({
    at: field.time('Time of the count, in UTC.'),
    firing: z
      .array(
        z.object({
          alert: field.text('The name of the alert.'),
          text: field.text('The alert as a sentence, with its numbers.'),
          since: field.timeOrNull('Time when the cron first saw it. Null before that.'),
          help: field.text('Instructions in Markdown. docs/operate.md has more.'),
        }),
      )
      .describe('The alerts that fire now.'),
    alerts: z
      .object({
        receiver: field.textOrNull('Host name of `ALERT_WEBHOOK_URL`. Null if it is not set.'),
        last_sent: field.timeOrNull('Time of the last alert that the receiver accepted. Null for none.'),
        last_error: z
          .object({
            since: field.time('Time of the first failure.'),
            error: field.text('The last error message.'),
          })
          .nullable()
          .describe('The failure to send alerts. Null if there is none. Every run of the cron tries again.'),
      })
      .describe('The receiver of alerts and its state.'),
    maintenance: MaintenanceView.nullable().describe('The maintenance in progress. Null while new work is accepted.'),
    queue: z
      .array(
        z.object({
          tier: tier.describe('The kind of key that submitted the jobs.'),
          waiting: field.integer('Number of jobs that wait for a host.'),
          oldest_s: field.integerOrNull(
            'Seconds that the oldest of these jobs has waited, rounded to ten. Null without a job.',
          ),
        }),
      )
      .describe('Jobs that wait, by tier.'),
    waits: z
      .array(
        z.object({
          jobs: field.integer('Number of jobs that wait for this reason.'),
          oldest_s: field.integer(
            'Seconds that the oldest of these jobs has waited, rounded to ten. Null without a job.',
          ),
          reason: z.enum(WAIT_REASONS).describe('The reason for the wait.'),
          text: QueuePlace.shape.text,
          hosts: QueuePlace.shape.hosts,
          until: QueuePlace.shape.until,
          needs: z
            .object({
              resolution: z.number(),
              fps: field.number('Upper bound of the frame rates of these jobs.'),
              renderer: z.enum(RENDERERS).nullable(),
              labels: z.array(z.string()),
              skills: z.array(z.string()),
              refused_builds: z.array(z.string()).describe('Builds that could not play the demo.'),
            })
            .describe('The requirements of these jobs for a host.'),
        }),
      )
      .describe('Reasons why jobs wait, by their requirements for a host. The reason of the most jobs is first.'),
    running: field.integer('Number of jobs that hosts work on.'),
    hosts: z
      .record(z.string(), z.int())
      .describe('Number of hosts that called within a day, by their state in the dispatcher.'),
    webhooks: z
      .object({
        failing: field.integer('Number of jobs whose webhook failed and has attempts left.'),
        exhausted: field.integer('Number of jobs whose webhook has no attempt left.'),
        given_up: field.integer('Number of those `exhausted` jobs whose webhook was given up within the last day.'),
      })
      .describe('Jobs whose last webhook has not arrived. Each count stops at 10,000.'),
    clips: z
      .object({
        count: field.integer('Number of clips that can be played.'),
        bytes: field.integer('Size of their files in bytes.'),
      })
      .describe(
        'Stored clips at the last count, which is of today, or of the last run of the cron if there are few clips.',
      ),
    speed: z
      .object({
        clips_an_hour: field.integer('Number of clips in the last hour. Over 200, the rate of the last 200.'),
        p50_s: field.numberOrNull(
          'Seconds from submit to clip that half of the clips need at most. Null without clips.',
        ),
        p95_s: field.numberOrNull('Seconds from submit to clip that 95 of 100 clips need at most. Null without clips.'),
        clips: field.integer('Number of clips in the sample: the last 200 of the last day, without re-rendered ones.'),
      })
      .describe('The speed of rendering, without saved clips. At most a minute old.'),
    wrong_variables: z
      .array(
        z.object({
          variable: field.text('The name of the variable.'),
          problem: field.text('The rule that the value breaks, and what the service does instead.'),
        }),
      )
      .describe('Variables and secrets of the deployment that are wrong.'),
    days: z
      .array(
        z.object({
          day: z.iso.date().describe('The day in UTC.'),
          done: field.integer('Number of runs that made a clip.'),
          rendered_seconds: field.number('Seconds of clip that these runs made.'),
          failed: z.record(z.string(), z.int()).describe('Number of failed runs, by code.'),
        }),
      )
      .describe('The latest days, oldest first, each by what ended on it.'),
  })
  .meta({ id: 'Overview', description: 'The service at a glance.' });
export type Overview = z.infer<typeof Overview>;

export const AlertTested = WebhookTested.omit({ delivery_id: true, signatures: true }).meta({
  id: 'AlertTested',
  description: 'The result of a test alert.',
});
export type AlertTested = z.infer<typeof AlertTested>;
export const FaceitCheck = z
  .object({
    state: z
      .enum(['key_missing', 'data_refused', 'downloads_refused', 'no_answer', 'works'])
      .describe('Whether the service can get demos of FACEIT, or which of its APIs refuses the key.'),
    detail: field.textOrNull("FACEIT's answer, and what to do. Null if all works."),
  })
  .meta({ id: 'FaceitCheck', description: 'Whether the service can get demos of FACEIT.' });
export type FaceitCheck = z.infer<typeof FaceitCheck>;
export const SearchQuery = z.strictObject({
  q: z.string().trim().min(1).max(300).describe('An id, an address, an idempotency key or a name.'),
  account: z.uuid('must be a UUID').optional().describe('The account of the idempotency key.'),
});
export const SearchAnswer = z
  .object({
    results: z.array(
      z.object({
        kind: z.enum(['job', 'clip', 'account', 'host']).describe('The kind of the found object.'),
        id: field.uuid('Id of the found object.'),
        name: field.text('Name of the account or host, title of the clip, or state of the job.'),
        job_id: field.uuidOrNull('Id of the found job, or of the job of the clip. Null for others.'),
        account_id: field.uuidOrNull('Id of the account that owns it. Null for a host.'),
        account_name,
      }),
    ),
    accounts_tried: field.integer('Number of accounts whose idempotency keys were compared, the oldest first.'),
    is_every_account: field.flag('Whether all accounts were tried. If not, name the account.'),
  })
  .meta({ id: 'SearchAnswer', description: 'The results of a search.' });

export const AllJobsQuery = z
  .strictObject({
    ...page,
    account: z.uuid('must be a UUID').optional().describe('Return only jobs of this account.'),
    status: JobListQuery.shape.status,
    mode: z
      .enum(['round', 'timeline', 'inspect'], 'must be round, timeline or inspect')
      .optional()
      .describe('Return only jobs of this mode.'),
    tier: tier.optional().describe('Return only jobs that this kind of key submitted.'),
    error_code: z.string().max(40).optional().describe('Return only jobs with this error code.'),
  })
  .refine(isWindow, NO_WINDOW);

const AnyJob = z
  .object({
    ...jobFields,
    account_id: field.uuid('Id of the account of the job.'),
    account_name,
    title: field.textOrNull('The title of the clip. Null before the first clip.'),
    mode: z
      .enum(['round', 'timeline', 'inspect'])
      .describe('The way in which the moments of the clip were chosen. `inspect` is an inspection of a demo.'),
    webhook: trouble.nullable().describe('The trouble of its last webhook. Null for none.'),
    waits: field.textOrNull('The reason why the job waits. Null unless it is `pending` or `retrying`.'),
  })
  .meta({ id: 'AnyJob', description: 'Cancels a job of any account.' });
export const AllJobs = z.object({ jobs: z.array(AnyJob), next_cursor }).meta({
  id: 'AllJobs',
  description:
    'A page of jobs, newest first. With a filter it may be short, even empty, while `next_cursor` leads to more: each page looks at some thousand jobs.',
});

export const JobStoryQuery = z.strictObject({
  host: z.uuid('must be a UUID').optional().describe('Return only attempts of this host.'),
  fence: z.coerce
    .number()
    .pipe(z.int().min(1))
    .optional()
    .meta({ description: 'Return only the attempt with this `fence`.', override: { type: 'integer', minimum: 1 } }),
});
const StoredFile = z.object({
  key: field.text('Key of the file in the bucket.'),
  bytes: field.integer('Size of the file in bytes.'),
  sha256: field.text('SHA-256 of the file, in lower-case hexadecimal.'),
});
export const JobStoryView = z
  .object({
    job: JobView,
    account_id: field.uuid('Id of the account of the job.'),
    account_name,
    clip_id: field.uuid('Id of the clip that the job makes.'),
    run: field.integer('Number of the run. The first is 1, and each re-run in place adds one.'),
    attempt: field.integer('Number of attempts that began in this run.'),
    host_seconds: field.integer('Seconds that hosts worked on attempts of this run that made no clip.'),
    queued_at: field.time('Time when this run was queued.'),
    retry_at: field.timeOrNull('Time of the next attempt. Null for none.'),
    error_detail: field.textOrNull('The error message of the host for `error_code`.'),
    progress: field.numberOrNull('Share of the job that is done, from 0 to 1. Null without a recent heartbeat.'),
    queue: QueuePlace.nullable().describe('The reason why the job waits. Null if it does not wait.'),
    lease: z
      .object({
        host_id: field.text('Id of the host that has the job.'),
        host_name,
        granted_at: field.time('Time when the host got the job.'),
        deadline: field.time('Time when the lease ends, unless a heartbeat extends it.'),
        is_confirmed: field.flag('Whether the host has confirmed the lease.'),
      })
      .nullable()
      .describe('The lease of the host that has the job. Null if no host has it.'),
    attempts: z
      .array(
        z.object({
          run: field.integer('Number of the run, from 1.'),
          attempt: field.integer('Number of the attempt in its run.'),
          fence: field.integer('The number of its lease, unique in the job.'),
          host_id: field.text('Id of the host.'),
          host_name,
          game_build: field.textOrNull('Build of the game on the host. Null for a host without the game.'),
          granted_at: field.time('Time when the host got the job.'),
          ended_at: field.time('Time when the attempt ended.'),
          code: field.textOrNull(
            'The error code of the attempt. Null if the host handed the job back or never got it.',
          ),
          detail: field.textOrNull('The error message of the host.'),
          log: field.textOrNull(
            "The end of the host's log of the job. Null if it sent none. Times of JSON lines are seconds since `granted_at`, by the clock of the host.",
          ),
        }),
      )
      .describe('The latest 20 attempts that made no clip, oldest first.'),
    deliveries: z.array(DeliveryView).describe('Webhooks of the job, oldest first.'),
    clip: z
      .object({
        state: z.enum(['ready', 'deleted']).describe('Whether the files of the clip are stored.'),
        is_saved: field.flag('Whether the clip is kept for good.'),
        title: field.text('The title of the clip.'),
        duration_seconds: field.number('Length of the clip in seconds.'),
        rendered_at: field.time('Time when the clip was rendered.'),
        rendered_by: field.textOrNull('Id of the host that made the clip.'),
        host_name,
        video: StoredFile.describe('The MP4 file of the clip.'),
        thumbnail: StoredFile.describe('The JPEG file of the clip.'),
        removal: Removal.nullable().describe('The removal by an operator. Null for none.'),
      })
      .nullable()
      .describe('The clip of the job. Null before the first success.'),
  })
  .meta({ id: 'JobStory', description: 'All stored data of a job, without the header of its webhook.' });
export type JobStoryView = z.input<typeof JobStoryView>;

export const TroubleQuery = z.strictObject({
  limit: page.limit,
  cursor: page.cursor,
  trouble: trouble.optional(),
  account: z.uuid('must be a UUID').optional().describe('Return only webhooks of this account.'),
});
export const TroubleList = z
  .object({
    deliveries: z.array(
      z
        .object({
          job_id: field.uuid('Id of the job.'),
          account_id: field.uuid('Id of the account of the job.'),
          account_name,
          trouble,
          created_at: field.time('Time when the webhook was created.'),
          delivery: DeliveryView.nullable().describe('The webhook itself. Null if its job does not answer.'),
        })
        .meta({ id: 'FailingDelivery', description: 'A webhook that has not arrived.' }),
    ),
    next_cursor,
  })
  .meta({ id: 'FailingDeliveryList', description: 'A page of webhooks that have not arrived, the oldest first.' });

export const ArrivalQuery = z.strictObject({
  account: z.uuid('must be a UUID').optional().describe('Return only demos of this account.'),
});
export const ArrivalList = z
  .object({
    arrivals: z.array(
      z
        .object({
          account_id: field.uuid('Id of the account.'),
          account_name,
          key_id: field.uuidOrNull('Id of the key that sends it.'),
          name: field.text("The sender's name for the demo."),
          state: z
            .enum(['arriving', 'refused'])
            .describe('State of the demo: its bytes are still to come, or it was refused.'),
          bytes: field.integerOrNull('Length of the file. Null if it is not known.'),
          stored_bytes: field.integerOrNull('Bytes of its stored parts. Null for a file in one piece.'),
          at: field.time('Time when it began, or was refused for the last time.'),
          status: field.integerOrNull('Status of the last refusal.'),
          reason: field.textOrNull('The reason of the refusal.'),
          times: field.integer('Number of refusals with that status.'),
        })
        .meta({ id: 'Arrival', description: 'A demo that arrives, or that was refused within a week.' }),
    ),
  })
  .meta({ id: 'ArrivalList', description: 'Demos that arrive, then refused ones: the latest 100 of each.' });

export const ResendRequest = z
  .strictObject({
    job_ids: field.someIds('Send again the webhooks of these jobs.').optional(),
    all: z.literal('exhausted').optional().describe('Send again the webhooks of all jobs whose webhook is exhausted.'),
    account: z.uuid('must be a UUID').optional().describe('Limit `all` to this account.'),
    cursor: page.cursor.describe('The `next_cursor` of the previous answer. Needs `all`.'),
  })
  .refine(...field.eitherOf('job_ids', 'all'))
  .meta({ id: 'ResendRequest', description: 'The webhooks to send again.' });
export const Resent = z
  .object({
    resent: field.integer('Number of webhooks that are queued again.'),
    refused: z
      .array(
        z.object({
          job_id: field.uuid('Id of the job.'),
          reason: field.text('The reason why the webhook cannot be sent now.'),
        }),
      )
      .describe('Webhooks that are not sent again.'),
    next_cursor,
  })
  .meta({ id: 'Resent', description: 'The result of a resend. `next_cursor` continues `all` after a hundred jobs.' });

export const AuditQuery = z.strictObject({ limit: page.limit, cursor: page.cursor });
export const AuditList = z
  .object({
    entries: z.array(
      z
        .object({
          at: field.time('Time of the change, in UTC.'),
          operator_id: field.uuidOrNull(
            'Id of the operator, or of the key of an account. Null for the token of the deployment.',
          ),
          operator: field.text('The name of the operator at that time, or the hint of the key.'),
          action: field.text('Id of the operation, such as `createKey`.'),
          target: z
            .record(z.string(), z.string())
            .describe('Ids of the objects that were changed or made. For a batch, its counts.'),
          target_name: field.textOrNull('The name of the changed object. Null if it has none.'),
          changes: field.textOrNull('The request body, cut after 2000 characters. Null for none.'),
          status: field.integerOrNull('HTTP status of the answer. Null if the request was interrupted.'),
          request_id: field.uuid('Id of the request, as in `X-Request-Id`.'),
        })
        .meta({
          id: 'AuditEntry',
          description: 'A change that an operator made, or a key that an account made or revoked.',
        }),
    ),
    next_cursor,
  })
  .meta({ id: 'AuditList', description: 'A page of changes, the latest first.' });

const role = z
  .enum(ROLES)
  .describe('`read` looks; `operate` also holds hosts and sends webhooks again; `admin` does everything.');
const operator_id = field.uuid('Id of the operator, for revoking the token.');
export const ConsoleSession = z
  .object({ name: field.text('The name of the operator.'), role })
  .meta({ id: 'ConsoleSession', description: "The operator of the console's session." });
export const NewOperator = z
  .strictObject({ name: Name, role })
  .meta({ id: 'NewOperator', description: 'An operator to create.' });
export const OperatorOnce = z
  .object({
    operator_id,
    name: Name,
    role,
    token: field.text('The token itself. It is shown only once.'),
  })
  .meta({ id: 'OperatorOnce', description: 'A new operator with the token.' });
export const OperatorList = z
  .object({
    operators: z.array(
      z
        .object({
          operator_id,
          name: Name,
          role,
          created_at: field.time('Time when the token was made.'),
          revoked_at: field.timeOrNull('Time of revocation. Null while the token is valid.'),
        })
        .meta({ id: 'Operator', description: 'An operator without the token.' }),
    ),
    next_cursor,
  })
  .meta({ id: 'OperatorList', description: 'A page of operators, the oldest first.' });
