import * as z from 'zod';
import { TIERS } from '#domain/clip.ts';
import { TROUBLES } from '#domain/delivery.ts';
import { JOB_STATUSES } from '#domain/job.ts';
import { RENDERERS } from '#domain/need.ts';
import { ROLES } from '#domain/operator.ts';
import { WAIT_REASONS } from '#domain/wait.ts';
import { Removal } from './clip-view.ts';
import { MaintenanceView } from './controls.ts';
import { DeliveryView } from './delivery-view.ts';
import { QueuePlace } from './job-detail.ts';
import { JobView, jobFields } from './job-view.ts';
import { isWindow, limitOf, NO_WINDOW, next_cursor, page } from './lists.ts';
import { WebhookTested } from './webhook-tools.ts';

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
  description: '`failing`: an attempt has failed, and another comes; `exhausted`: none comes any more.',
});

export const OverviewQuery = z.strictObject({ days: limitOf(14) });
export const Overview = z
  .object({
    at: time('When it was counted.'),
    firing: z
      .array(
        z.object({
          alert: z.string().meta({ description: 'Its name.' }),
          text: z.string().meta({ description: 'A sentence with its numbers.' }),
          since: timeOrNull('When the cron noted it; null before that.'),
          help: z.string().meta({ description: 'What to do, in Markdown. docs/operate.md has more.' }),
        }),
      )
      .meta({ description: 'The alerts that fire now.' }),
    alerts: z
      .object({
        receiver: text('The host in `ALERT_WEBHOOK_URL`; null if none is set.'),
        last_sent: timeOrNull('When it took the last alerts.'),
        last_error: z
          .object({ since: time('Since when.'), error: z.string().meta({ description: 'The last error.' }) })
          .nullable()
          .meta({ description: 'Why alerts cannot be sent; null if they can. Every run of the cron tries again.' }),
      })
      .meta({ description: 'Where alerts are sent.' }),
    maintenance: MaintenanceView.nullable().meta({ description: 'Null while new work is taken.' }),
    queue: z
      .array(
        z.object({
          tier: tier.meta({ description: 'Which key submitted.' }),
          waiting: count('Jobs that wait for a host.'),
          oldest_s: z.int().nullable().meta({ description: 'Seconds that the first of them has waited, to ten.' }),
        }),
      )
      .meta({ description: 'What waits, by tier.' }),
    waits: z
      .array(
        z.object({
          jobs: count('Jobs that wait for this reason.'),
          oldest_s: count('Seconds that the first of them has waited, to ten.'),
          reason: z.enum(WAIT_REASONS).meta({ description: 'Why.' }),
          text: QueuePlace.shape.text,
          hosts: QueuePlace.shape.hosts,
          until: QueuePlace.shape.until,
          needs: z
            .object({
              resolution: z.number(),
              fps: z.number().meta({ description: 'At most.' }),
              renderer: z.enum(RENDERERS).nullable(),
              labels: z.array(z.string()),
              skills: z.array(z.string()),
              refused_builds: z.array(z.string()).meta({ description: 'Builds that could not play the demo.' }),
            })
            .meta({ description: 'What these jobs require of a host.' }),
        }),
      )
      .meta({ description: 'Why jobs wait, by what they require of a host; the most jobs first.' }),
    running: count('Jobs that hosts work on.'),
    hosts: z
      .record(z.string(), z.int())
      .meta({ description: 'Hosts that called within a day, by state, as the dispatcher has them.' }),
    webhooks: z
      .object({
        failing: count('An attempt has failed.'),
        exhausted: count('No attempt is left.'),
        given_up: count('Those of `exhausted` that were given up within the last day.'),
      })
      .meta({ description: 'Jobs whose last webhook has not arrived; the count stops at 10,000.' }),
    clips: z.object({ count: count('Clips that can be played.'), bytes: count('Bytes of their files.') }).meta({
      description: 'What is stored, as of the last count: of today, or of the last run of the cron if there are few.',
    }),
    speed: z
      .object({
        clips_an_hour: count('Clips in the last hour; if those are over 200, the rate of the last 200.'),
        p50_s: z
          .number()
          .nullable()
          .meta({ description: 'Seconds from submit to clip of half of the clips, at most.' }),
        p95_s: z.number().nullable().meta({ description: 'The same of 95 of 100.' }),
        clips: count('How many clips that is of: the last 200 of the last day, without re-rendered ones.'),
      })
      .meta({ description: 'How fast clips are made, without saved ones. At most a minute old.' }),
    wrong_variables: z
      .array(
        z.object({
          variable: z.string().meta({ description: 'Its name.' }),
          problem: z.string().meta({ description: 'The rule that it breaks, and what the service does instead.' }),
        }),
      )
      .meta({ description: 'Variables and secrets of the deployment that are wrong.' }),
    days: z
      .array(
        z.object({
          day: z.iso.date().meta({ description: 'The day (UTC).' }),
          done: count('Runs that made a clip.'),
          rendered_seconds: z.number().meta({ description: 'Seconds of clip that they made.' }),
          failed: z.record(z.string(), z.int()).meta({ description: 'Runs that failed, by code.' }),
        }),
      )
      .meta({ description: 'The latest days, oldest first, each by what ended on it.' }),
  })
  .meta({ id: 'Overview', description: 'The service at a glance.' });
export type Overview = z.infer<typeof Overview>;

export const AlertTested = WebhookTested.omit({ delivery_id: true, signatures: true }).meta({
  id: 'AlertTested',
  description: 'What became of a test alert.',
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
        kind: z.enum(['job', 'clip', 'account', 'host']).meta({ description: 'What it is.' }),
        id: uuid('Its id.'),
        name: z.string().meta({ description: "Its name, a clip's title, or a job's state." }),
        job_id: z.uuid().nullable().meta({ description: 'The job, or the job of the clip.' }),
        account_id: z.uuid().nullable().meta({ description: 'Whose it is.' }),
        account_name,
      }),
    ),
    accounts_tried: count('Accounts whose idempotency keys were compared, the oldest first.'),
    is_every_account: z.boolean().meta({ description: 'False if there are more: name the account.' }),
  })
  .meta({ id: 'SearchAnswer', description: 'What a search has found.' });

export const AllJobsQuery = z
  .strictObject({
    ...page,
    account: z.uuid('must be a UUID').optional().meta({ description: 'Only jobs of this account.' }),
    status: z
      .enum(JOB_STATUSES, `must be one of ${JOB_STATUSES.join(', ')}`)
      .optional()
      .meta({ description: 'Only jobs in this state.' }),
    mode: z
      .enum(['round', 'timeline', 'inspect'], 'must be round, timeline or inspect')
      .optional()
      .meta({ description: 'Of this mode.' }),
    tier: tier.optional().meta({ description: 'Only jobs that this kind of key submitted.' }),
    error_code: z.string().max(40).optional().meta({ description: 'Only jobs with this code.' }),
  })
  .refine(isWindow, NO_WINDOW);

const AnyJob = z
  .object({
    ...jobFields,
    account_id: uuid('Whose it is.'),
    account_name,
    title: text('The title of its clip; null before its first clip.'),
    mode: z.enum(['round', 'timeline', 'inspect']).meta({
      description: 'How its moments are chosen; `inspect` only looks into a demo.',
    }),
    webhook: trouble.nullable().meta({ description: 'What is wrong with its last webhook; null if nothing is.' }),
    waits: text('Why it waits; null unless it is `pending` or `retrying`.'),
  })
  .meta({ id: 'AnyJob', description: 'A job of any account.' });
export const AllJobs = z.object({ jobs: z.array(AnyJob), next_cursor }).meta({
  id: 'AllJobs',
  description:
    'A page of jobs, newest first. With a filter it may be short, even empty, while `next_cursor` leads to more: each page looks at some thousand jobs.',
});

export const JobStoryQuery = z.strictObject({
  host: z.uuid('must be a UUID').optional().meta({ description: 'Only attempts on this host.' }),
  fence: z.coerce
    .number()
    .pipe(z.int().min(1))
    .optional()
    .meta({ description: 'Only the attempt with this `fence`.', override: { type: 'integer', minimum: 1 } }),
});
const StoredFile = z.object({
  key: z.string().meta({ description: 'Its key in the bucket.' }),
  bytes: count('How long it is.'),
  sha256: z.string().meta({ description: 'Its SHA-256 in hexadecimal.' }),
});
export const JobStoryView = z
  .object({
    job: JobView,
    account_id: uuid('Whose it is.'),
    account_name,
    clip_id: uuid('The clip that it makes, or will.'),
    run: count('1 for the first run; each re-run in place adds one.'),
    attempt: count('Attempts begun in this run.'),
    host_seconds: count('Seconds of hosts that this run has taken by attempts that made no clip.'),
    queued_at: time('When this run was queued.'),
    retry_at: timeOrNull('When it is tried again.'),
    error_detail: text("The host's own words for `error_code`."),
    progress: z.number().nullable().meta({ description: '0 to 1; null without a recent heartbeat.' }),
    queue: QueuePlace.nullable().meta({
      description: 'Why it waits; null where it does not.',
    }),
    lease: z
      .object({
        host_id: z.string().meta({ description: 'The host that has it.' }),
        host_name,
        granted_at: time('Since when.'),
        deadline: time('When it ends, unless a heartbeat extends it.'),
        is_confirmed: z.boolean().meta({ description: 'Whether the host has confirmed it.' }),
      })
      .nullable()
      .meta({ description: 'Null where no host has it.' }),
    attempts: z
      .array(
        z.object({
          run: count('Of which run.'),
          attempt: count('Its number in the run.'),
          fence: count('The number of its lease, unique in the job.'),
          host_id: z.string().meta({ description: 'The host.' }),
          host_name,
          game_build: text('Its build of the game; null without the game.'),
          granted_at: time('When the host got the job.'),
          ended_at: time('When it had it no longer.'),
          code: text('Why it failed; null where the host gave the job back, or never had it.'),
          detail: text("The host's own words."),
          log: text(
            "The end of the host's log of the job, where it sent one. Times of JSON lines are seconds since `granted_at`, by the host's clock.",
          ),
        }),
      )
      .meta({ description: 'The latest 20 attempts that made no clip, oldest first.' }),
    deliveries: z.array(DeliveryView).meta({ description: 'Its webhooks, oldest first.' }),
    clip: z
      .object({
        state: z.enum(['ready', 'deleted']).meta({ description: 'Whether its files are there.' }),
        is_saved: z.boolean().meta({ description: 'Whether it is kept for good.' }),
        title: z.string().meta({ description: 'Its title.' }),
        duration_seconds: z.number().meta({ description: 'How long it is.' }),
        rendered_at: time('When it was made.'),
        rendered_by: text('The host that made it.'),
        host_name,
        video: StoredFile.meta({ description: 'The MP4.' }),
        thumbnail: StoredFile.meta({ description: 'The JPEG.' }),
        removal: Removal.nullable().meta({ description: 'Null unless an operator took it down.' }),
      })
      .nullable()
      .meta({ description: 'Null before the first success.' }),
  })
  .meta({ id: 'JobStory', description: 'All that is known of a job, but for the header of its webhook.' });
export type JobStoryView = z.input<typeof JobStoryView>;

export const TroubleQuery = z.strictObject({
  limit: page.limit,
  cursor: page.cursor,
  trouble: trouble.optional(),
  account: z.uuid('must be a UUID').optional().meta({ description: 'Only those of this account.' }),
});
export const TroubleList = z
  .object({
    deliveries: z.array(
      z
        .object({
          job_id: uuid('The job.'),
          account_id: uuid('Whose it is.'),
          account_name,
          trouble,
          created_at: time('When the webhook was made.'),
          delivery: DeliveryView.nullable().meta({ description: 'The webhook itself; null where its job is silent.' }),
        })
        .meta({ id: 'FailingDelivery', description: 'A webhook that has not arrived.' }),
    ),
    next_cursor,
  })
  .meta({ id: 'FailingDeliveryList', description: 'A page of webhooks that have not arrived, the oldest first.' });

export const ResendRequest = z
  .strictObject({
    job_ids: z.array(z.uuid('must be a UUID')).min(1).max(100).optional().meta({ description: 'Of these jobs.' }),
    all: z.literal('exhausted').optional().meta({ description: 'Of all jobs that have one that is exhausted.' }),
    account: z.uuid('must be a UUID').optional().meta({ description: 'With `all`: of this account.' }),
    cursor: page.cursor.meta({ description: 'With `all`: the `next_cursor` of the answer before.' }),
  })
  .refine(({ job_ids, all }) => (job_ids === undefined) !== (all === undefined), {
    path: ['job_ids'],
    error: 'must be given, or `all`, but not both',
  })
  .meta({ id: 'ResendRequest', description: 'Which webhooks to send again.' });
export const Resent = z
  .object({
    resent: count('How many are on their way again.'),
    refused: z
      .array(
        z.object({ job_id: uuid('The job.'), reason: z.string().meta({ description: 'Why it cannot be sent now.' }) }),
      )
      .meta({ description: 'Those that are not.' }),
    next_cursor,
  })
  .meta({ id: 'Resent', description: 'What became of it; `next_cursor` leads to the rest of `all`, a hundred each.' });

export const AuditQuery = z.strictObject({ limit: page.limit, cursor: page.cursor });
export const AuditList = z
  .object({
    entries: z.array(
      z
        .object({
          at: time('When.'),
          operator_id: z.uuid().nullable().meta({
            description: "Who, or which key of an account; null for the deployment's own token.",
          }),
          operator: z.string().meta({ description: 'The name that they had then; of a key, its hint.' }),
          action: z.string().meta({ description: 'The operation, as in `createKey`.' }),
          target: z
            .record(z.string(), z.string())
            .meta({ description: 'The ids of what was changed or made; of a batch, its counts.' }),
          target_name: text('The name of what was changed; null where it has none.'),
          changes: text('The body that was sent, cut after 2000 characters; null where there was none.'),
          status: z
            .int()
            .nullable()
            .meta({ description: 'The status of the answer; null if the request was interrupted.' }),
          request_id: uuid('As in `X-Request-Id`.'),
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
const name = z.string().trim().min(1).max(100).meta({ description: 'For people to tell them apart.' });
const operator_id = uuid('The operator, for revoking the token.');
export const ConsoleSession = z
  .object({ name: z.string().meta({ description: 'Who it is.' }), role })
  .meta({ id: 'ConsoleSession', description: 'Whose session the console has.' });
export const NewOperator = z
  .strictObject({ name, role })
  .meta({ id: 'NewOperator', description: 'An operator to let in.' });
export const OperatorOnce = z
  .object({ operator_id, name, role, token: z.string().meta({ description: 'The token itself, shown this once.' }) })
  .meta({ id: 'OperatorOnce', description: 'A new operator.' });
export const OperatorList = z
  .object({
    operators: z.array(
      z
        .object({
          operator_id,
          name,
          role,
          created_at: time('When it was made.'),
          revoked_at: timeOrNull('When it was revoked; null while it is good.'),
        })
        .meta({ id: 'Operator', description: 'An operator without the token.' }),
    ),
    next_cursor,
  })
  .meta({ id: 'OperatorList', description: 'A page of operators, the oldest first.' });
