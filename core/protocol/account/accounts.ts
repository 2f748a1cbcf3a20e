import * as z from 'zod';
import { SCOPES } from '#domain/account/account.ts';
import { KEY_KINDS } from '#domain/clip/clip.ts';
import { HOLDS, HOST_STATES } from '#domain/host/host-state.ts';
import { RENDERERS } from '#domain/host/need.ts';
import { JOB_STATUSES } from '#domain/job/job.ts';
import { LIMITS, limitText, mapLimits } from '#domain/operate/limits.ts';
import { PushSettings } from '../host/push.ts';
import { limitOf, MAX_LIMIT, next_cursor, page, yesOrNo } from '../lib/lists.ts';

/** Requests and responses of the operators' API, below `/admin`. */

const Name = z.string().trim().min(1).max(100).meta({ description: 'The name that people see in lists.' });
const Slots = z.int().min(0).max(10_000).nullable().meta({
  description: 'Number of reserved jobs that go ahead of best-effort work at the same time. Null for no limit.',
});
const Kind = z.enum(KEY_KINDS).meta({
  description:
    '`metered` for best effort, `reserved` for priority, `test` for jobs that no host gets and that cost nothing.',
});
const created_at = z.iso.datetime().meta({ description: 'Time of creation, in UTC.' });
const revoked_at = z.iso.datetime().nullable().meta({ description: 'Time of revocation. Null while it is valid.' });
const account_id = z.uuid().meta({ description: 'Id of the account.' });
const key_id = z.uuid().meta({ description: 'Id of the key, for revoking it.' });
const host_id = z.uuid().meta({ description: 'Id of the host, for changing it or revoking its token.' });
const Labels = z
  .array(z.string().regex(/^[a-z0-9][a-z0-9._-]{0,39}$/, 'must be a word of small letters, digits, dots, dashes and _'))
  .max(16)
  .readonly();
const AskedRenderer = z
  .enum(RENDERERS)
  .nullable()
  .meta({ description: 'The only renderer that may make the jobs of the account. Null for any.' });
const AskedLabels = Labels.meta({
  description: 'Labels that a host must have, all of them, to get jobs of the account.',
});
const HostLabels = Labels.meta({ description: 'Labels from the operator. Accounts can require them.' });

const limit = (of: Parameters<typeof limitText>[0]) =>
  z
    .int()
    .min(1)
    .max(10_000_000)
    .exactOptional()
    .meta({ description: `${limitText(of)}, at most.` });
const Limits = z.strictObject(mapLimits(LIMITS.account, limit)).meta({
  description: 'Limits of this account alone. The limits of the deployment apply to fields that are left out.',
});
const suspended = z.boolean().optional().meta({
  description:
    'Whether to suspend the account. A suspended account may read and change nothing. Its queued jobs wait, and its running jobs finish.',
});
const hide_clips = z.boolean().optional().meta({
  description:
    'Whether the pages and files of its clips answer 410 until the account is resumed. Needs `suspended: true`.',
});
const scope = z.enum(SCOPES).meta({
  description:
    '`ingest` sends demos and reads nothing, for a game server; `read` reads; `submit` reads, sends demos and submits jobs; `manage` does everything, such as deleting clips.',
});
const IngestLimits = z.strictObject(mapLimits(LIMITS.ingest, limit)).meta({
  description:
    'Limits a day (UTC) of a key of scope `ingest`. The limits of the deployment apply to fields that are left out.',
});
const key_name = z.string().nullable().meta({ description: 'The name that people see in lists. Null for none.' });
const key_expires_at = z.iso.datetime().nullable().meta({ description: 'Time when the key expires. Null for never.' });

export const NewAccount = z
  .strictObject({
    name: Name,
    provisioned_slots: Slots.default(null),
    renderer: AskedRenderer.default(null),
    labels: AskedLabels.default([]),
  })
  .meta({ id: 'NewAccount', description: 'An account to make.' });
export const AccountChanges = z
  .strictObject({
    name: Name.optional(),
    provisioned_slots: Slots.optional(),
    renderer: AskedRenderer.optional(),
    labels: AskedLabels.optional(),
    suspended,
    hide_clips,
    limits: Limits.optional(),
  })
  .refine(({ suspended, hide_clips }) => hide_clips === undefined || suspended === true, {
    path: ['hide_clips'],
    error: 'is an option of a suspension: set `suspended` to true with it',
  })
  .meta({
    id: 'AccountChanges',
    description: 'Fields of the account to change. Fields that are left out keep their values.',
  });
export type AccountChanges = z.output<typeof AccountChanges>;
export const AccountErasure = z
  .strictObject({
    name: z.string().meta({
      description: 'The present name of the account. It must match, so that nobody erases another account by mistake.',
    }),
  })
  .meta({ id: 'AccountErasure', description: 'A confirmation that this account is the one to erase.' });
export const NewKey = z
  .strictObject({
    kind: Kind,
    name: Name.optional(),
    scope: scope.default('manage'),
    expires_at: z.iso.datetime({ offset: true, error: 'must be a time as in 2026-01-31T12:00:00Z' }).optional().meta({
      description:
        'Time when the key expires. Without it, a key of the operator never expires, and a key that a key makes expires with that key.',
    }),
    ingest_limits: IngestLimits.optional(),
  })
  .refine(({ scope, ingest_limits }) => ingest_limits === undefined || scope === 'ingest', {
    path: ['ingest_limits'],
    error: 'is for a key of scope `ingest`',
  })
  .meta({ id: 'NewKey', description: 'An API key to make.' });
export const NewHost = z
  .strictObject({
    name: Name,
    push: PushSettings.optional(),
  })
  .meta({ id: 'NewHost', description: 'A render host to create.' });

export const AccountView = z
  .object({
    account_id,
    name: z.string().meta({ description: 'The name of the account.' }),
    provisioned_slots: Slots,
    renderer: AskedRenderer,
    labels: AskedLabels,
    suspended_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'Time when the account was suspended. Null while it is not.' }),
    clips_hidden: z.boolean().meta({ description: 'Whether its clips are hidden while it is suspended.' }),
    erasing_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'Time when the erasure began. Null for other accounts.' }),
    limits: Limits,
    default_limits: Limits.meta({
      description: 'The limits of the deployment. They apply where `limits` has no value.',
    }),
    created_at,
  })
  .meta({ id: 'Account', description: 'An account: the owner of keys, jobs and clips.' });
/** The query of a list of everything. */
export const AdminListQuery = z.strictObject({ limit: limitOf(MAX_LIMIT), cursor: page.cursor });
export const AccountList = z
  .object({ accounts: z.array(AccountView), next_cursor })
  .meta({ id: 'AccountList', description: 'A page of accounts, the oldest first.' });

/** The last job of the page before. */
export const CancelQuery = z.strictObject({
  cursor: z
    .uuid('must be the next_cursor of an earlier answer')
    .optional()
    .meta({ description: 'The `next_cursor` of the previous answer.' }),
});
export const Canceled = z
  .object({
    canceled: z.int().meta({ description: 'Number of jobs that this call canceled.' }),
    failed: z.array(z.uuid()).meta({ description: 'Ids of jobs that did not answer. Try them again.' }),
    next_cursor,
  })
  .meta({ id: 'Canceled', description: 'The result of a cancellation.' });

export const KeyOnce = z
  .object({
    key_id,
    kind: Kind,
    name: key_name,
    scope,
    key: z.string().meta({ description: 'The key itself. It is shown only once.' }),
    expires_at: key_expires_at,
    ingest_limits: IngestLimits.nullable(),
    created_at,
  })
  .meta({ id: 'KeyOnce', description: 'A new API key.' });
export const ApiKey = z
  .object({
    key_id,
    kind: Kind,
    name: key_name,
    scope,
    hint: z.string().meta({ description: 'The first and last characters of the key.' }),
    expires_at: key_expires_at,
    ingest_limits: IngestLimits.nullable(),
    last_used: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'Time of the last use, to the hour. Null before the first use.' }),
    made_by: z
      .uuid()
      .nullable()
      .meta({ description: 'Id of the key that made this key. Null if the operator made it.' }),
    created_at,
    revoked_at,
  })
  .meta({ id: 'ApiKey', description: 'An API key without its secret.' });
export const KeyList = z
  .object({ keys: z.array(ApiKey), next_cursor })
  .meta({ id: 'KeyList', description: 'A page of the keys of an account, the oldest first, the revoked ones too.' });
export const RevokeQuery = z.strictObject({
  keep_made: yesOrNo.optional().meta({
    description:
      '`true` revokes this key alone. Without it, the keys that it has made are revoked too, and those that these have made.',
  }),
});

export const HostOnce = z
  .object({
    host_id,
    name: z.string().meta({ description: 'The name of the render host.' }),
    token: z.string().meta({ description: 'The token itself. It is shown only once.' }),
    push_secret: z.string().optional().meta({
      description:
        'The secret that signs the grants of a push host. It is shown only once, and replaced together with the token.',
    }),
  })
  .meta({ id: 'HostOnce', description: 'A new render host.' });

const time = (description: string) => z.iso.datetime().nullable().meta({ description });
const text = (description: string) => z.string().nullable().meta({ description });

export const HostView = z
  .object({
    host_id,
    name: z.string().meta({ description: 'The name of the render host.' }),
    created_at,
    revoked_at,
    state: z.enum(HOST_STATES).meta({
      description:
        '`idle` and `busy`; `paused` and `draining` by the operator; `set aside` for a while after three jobs in a row failed by its own fault, or because of its build of the game; `resting` for a push host that did not take its last job; `lost` if the lease of its last job ended without a sign of life, for a day or until it comes back; `gone` when it asks for nothing any more.',
    }),
    last_seen: time('Time of its last call to the service, to the minute. Null before the first call.'),
    held_until: time(
      'Time when the pause ends by itself. Null if the host is not held, or is held until an operator resumes it.',
    ),
    set_aside_until: time('Time when the host gets a job again. Null if it is not set aside.'),
    set_aside_reason: text('The reason why the host gets no jobs with its build of the game. Null if it does.'),
    resting_until: time(
      'Time when the host is sent a job again. Null if it does not rest, or if the next job is sent to it as a test.',
    ),
    resting_reason: text('The answer of the host to the last job that it did not take. Null if it took the last one.'),
    note: text('A note of the operators. Null for none.'),
    labels: HostLabels,
    agent_version: text(
      'Version of the host program. This field and those below are from the last report, or from the creation of a push host. Null before that.',
    ),
    renderer: z
      .enum(RENDERERS)
      .nullable()
      .meta({ description: 'The renderer of the host. Null before its first report.' }),
    game_build: text('Build of the game on the host.'),
    gpu: text('The model of its GPU.'),
    encoder: text('The video encoder of the host.'),
    max_resolution: z.int().nullable().meta({ description: 'Greatest height in pixels that the host renders.' }),
    max_fps: z.int().nullable().meta({ description: 'Highest frame rate that the host renders.' }),
    clock_off_s: z.int().nullable().meta({
      description: "Seconds that the host's clock is ahead of the service's, negative if behind. Null within a minute.",
    }),
    jobs: z
      .array(
        z.object({
          job_id: z.uuid().meta({ description: 'Id of the job.' }),
          status: z
            .enum(JOB_STATUSES)
            .nullable()
            .meta({ description: 'The state of the job. Null if it could not be read.' }),
          progress: z
            .number()
            .nullable()
            .meta({ description: 'Share of the job that is done, from 0 to 1. Null without a recent heartbeat.' }),
        }),
      )
      .meta({ description: 'Up to ten jobs that the host works on.' }),
    failures_24h: z.record(z.string(), z.int()).meta({
      description: 'Number of attempts of the host that failed in 24 hours, by code. The count of a code stops at 500.',
    }),
    push: PushSettings.nullable().meta({
      description: 'The settings with which the service sends jobs. Null for a host that polls.',
    }),
  })
  .meta({ id: 'Host', description: 'A render host without its token.' });

export const HostDetail = HostView.extend({
  slots: z.int().meta({ description: 'Number of jobs that the host may have at the same time.' }),
  driver: text("Version of the GPU's driver."),
  free_bytes: z.int().nullable().meta({ description: 'Free bytes for the work folder at its last claim.' }),
  ended: z
    .array(
      z.object({
        job_id: z.uuid().meta({ description: 'Id of the job.' }),
        code: text('The error code of a failed attempt. Null if the attempt made the clip.'),
        started_at: time('Time when the host got the job.'),
        ended_at: z.iso.datetime().meta({ description: 'Time when the attempt ended.' }),
      }),
    )
    .meta({
      description:
        'The latest 20 attempts of the host that made a clip or failed, latest first. Only the last 2,000 attempts of all hosts are searched, and a restart may lose those of the last minute.',
    }),
  faults: z
    .array(
      z.object({
        code: z.string().meta({ description: 'The error code of the attempts.' }),
        count: z.int().meta({ description: 'Number of attempts that failed with this code.' }),
        last_at: z.iso.datetime().meta({ description: 'Time of the last such failure.' }),
        job_ids: z.array(z.uuid()).meta({ description: 'Ids of the latest ten jobs.' }),
      }),
    )
    .meta({ description: '`failures_24h` with jobs, the most frequent first.' }),
}).meta({ id: 'HostDetail', description: 'A render host with its latest work.' });

export const HostList = z
  .object({ hosts: z.array(HostView), next_cursor })
  .meta({ id: 'HostList', description: 'A page of render hosts, the oldest first, the revoked ones too.' });

export const HostChanges = z
  .strictObject({
    name: Name.optional(),
    labels: HostLabels.optional(),
    hold: z.enum(HOLDS).nullable().optional().meta({
      description: '`paused` or `draining`: the host finishes its jobs and gets no more. Null ends the hold.',
    }),
    until: z.iso
      .datetime({ offset: true, error: 'must be a time as in 2026-01-31T12:00:00Z' })
      .nullable()
      .optional()
      .meta({ description: 'Time when the hold ends by itself. Without it, an operator has to end it.' }),
    note: z.string().trim().max(500).nullable().optional().meta({
      description: 'A note for other operators. If it is left out, a change of `hold` deletes the old note.',
    }),
    set_aside: z.literal(false).optional().meta({
      description:
        '`false` deletes its failures, and the report that its recorder does not support its build. The host gets a job at once.',
    }),
  })
  .refine(({ hold, until }) => until === undefined || until === null || (hold !== undefined && hold !== null), {
    path: ['until'],
    error: 'is the end of a hold: set `hold` with it',
  })
  .meta({
    id: 'HostChanges',
    description: 'Fields of the host to change. Fields that are left out keep their values.',
  });

const registration_id = z.uuid().meta({ description: 'Id of the registration, for revoking it.' });
const Uses = z.int().min(1).max(10_000).meta({ description: 'Number of hosts that can register with the token.' });
const expires_at = z.iso.datetime().meta({ description: 'Time when the registration expires.' });

export const NewRegistration = z
  .strictObject({
    name: Name,
    uses: Uses.default(1),
    expires_in_hours: z
      .number()
      .positive()
      .max(24 * 366)
      .default(24)
      .meta({ description: 'Hours until the registration expires.' }),
  })
  .meta({ id: 'NewHostRegistration', description: 'A token with which machines become render hosts.' });
export const RegistrationOnce = z
  .object({
    registration_id,
    name: z.string().meta({ description: 'The name of the registration.' }),
    token: z.string().meta({ description: 'The token itself. It is shown only once.' }),
    uses: Uses,
    expires_at,
  })
  .meta({ id: 'HostRegistrationOnce', description: 'A new registration with its token.' });
export const RegistrationList = z
  .object({
    registrations: z.array(
      z
        .object({
          registration_id,
          name: z.string().meta({ description: 'The name of the registration.' }),
          uses: Uses,
          used: z.int().meta({ description: 'Number of hosts that have registered.' }),
          expires_at,
          created_at,
          revoked_at,
        })
        .meta({ id: 'HostRegistration', description: 'A registration without its token.' }),
    ),
    next_cursor,
  })
  .meta({ id: 'HostRegistrationList', description: 'A page of registrations, the newest first.' });
