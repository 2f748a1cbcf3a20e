import * as z from 'zod';
import { SCOPES } from '#domain/account.ts';
import { KEY_KINDS } from '#domain/clip.ts';
import { HOLDS, HOST_STATES } from '#domain/host-state.ts';
import { JOB_STATUSES } from '#domain/job.ts';
import { RENDERERS } from '#domain/need.ts';
import { limitOf, MAX_LIMIT, next_cursor, page, yesOrNo } from './lists.ts';
import { PushSettings } from './push.ts';

/** Requests and responses of the operators' API, below `/admin`. */

const Name = z.string().trim().min(1).max(100).meta({ description: 'For people to tell them apart.' });
const Slots = z
  .int()
  .min(0)
  .max(10_000)
  .nullable()
  .meta({ description: 'How many reserved jobs go ahead of best-effort work at a time; null for all.' });
const Kind = z.enum(KEY_KINDS).meta({
  description:
    '`metered` for best effort, `reserved` for priority, `test` for jobs that no host gets and that cost nothing.',
});
const created_at = z.iso.datetime().meta({ description: 'When it was made.' });
const revoked_at = z.iso.datetime().nullable().meta({ description: 'When it was revoked; null while it is good.' });
const account_id = z.uuid().meta({ description: 'The account.' });
const key_id = z.uuid().meta({ description: 'The key, for revoking it.' });
const host_id = z.uuid().meta({ description: 'The host, for changing it or revoking its token.' });
const Labels = z
  .array(z.string().regex(/^[a-z0-9][a-z0-9._-]{0,39}$/, 'must be a word of small letters, digits, dots, dashes and _'))
  .max(16)
  .readonly();
const AskedRenderer = z
  .enum(RENDERERS)
  .nullable()
  .meta({ description: 'Only hosts with this renderer get its jobs; null for any.' });
const AskedLabels = Labels.meta({ description: 'Only hosts that have all of these labels get its jobs.' });
const HostLabels = Labels.meta({ description: "The operator's words for it, which accounts can ask for." });

const limit = (description: string) => z.int().min(1).max(10_000_000).optional().meta({ description });
const Limits = z
  .strictObject({
    requests: limit('Requests in a minute.'),
    submits: limit('Submits in a minute.'),
    uploads: limit('Uploads of assets in a minute.'),
    follows: limit('Streams of events that are opened in a minute.'),
    jobs: limit('Jobs that have not finished.'),
    jobs_a_day: limit('Jobs that are made on a day (UTC).'),
    agent_seconds_a_day: limit('Seconds of clip that agents render on a day (UTC), over MCP.'),
    jobs_kept: limit('Jobs in all.'),
    open_uploads: limit('Uploads of demos that are not complete.'),
    assets: limit('Images and music that are stored.'),
    asset_mib: limit('MiB of them.'),
    frames: limit('Frames of one clip.'),
    unbilled: limit('Minutes a day (UTC) that hosts work on runs that make no clip.'),
    fallback: limit('Minutes that a job with a `fallback` waits for a host with the game.'),
  })
  .meta({ description: "Its own limits; what is left out is the deployment's." });
const suspended = z.boolean().optional().meta({
  description: 'A suspended account may read and change nothing; its queued jobs wait, those that run are finished.',
});
const hide_clips = z.boolean().optional().meta({
  description: 'With `suspended: true`: whether the pages and files of its clips answer 410 until it is resumed.',
});
const scope = z.enum(SCOPES).meta({
  description:
    '`ingest` sends demos and reads nothing, for a game server; `read` reads; `submit` reads, sends demos and submits jobs; `manage` does everything, such as deleting clips.',
});
const IngestLimits = z
  .strictObject({
    mib: limit('MiB of demos.'),
    demos: limit('Demos.'),
    clips: limit('Clips that rules make of its demos.'),
  })
  .meta({ description: 'What a key of scope `ingest` may cause on a day (UTC), where it has its own limits.' });
const key_name = z.string().nullable().meta({ description: 'For people to tell keys apart.' });
const key_expires_at = z.iso.datetime().nullable().meta({ description: 'Until when it is good; null for good.' });

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
  .meta({ id: 'AccountChanges', description: 'What to change; the rest stays.' });
export type AccountChanges = z.output<typeof AccountChanges>;
export const AccountErasure = z
  .strictObject({ name: z.string().meta({ description: 'Its name, so that nobody erases another by mistake.' }) })
  .meta({ id: 'AccountErasure', description: 'That this very account is to be erased.' });
export const NewKey = z
  .strictObject({
    kind: Kind,
    name: Name.optional(),
    scope: scope.default('manage'),
    expires_at: z.iso.datetime({ offset: true, error: 'must be a time as in 2026-01-31T12:00:00Z' }).optional().meta({
      description:
        'Until when it is good. Without it: for good if the operator makes it, else as long as the key that makes it.',
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
  .meta({ id: 'NewHost', description: 'A render host to let in.' });

export const AccountView = z
  .object({
    account_id,
    name: z.string().meta({ description: 'Its name.' }),
    provisioned_slots: Slots,
    renderer: AskedRenderer,
    labels: AskedLabels,
    suspended_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'Since when it is suspended; null while it is not.' }),
    clips_hidden: z.boolean().meta({ description: 'Whether its clips are hidden while it is suspended.' }),
    erasing_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'Since when it is being erased; null while it is not.' }),
    limits: Limits,
    default_limits: Limits.meta({ description: "The deployment's limits, in force where it has none of its own." }),
    created_at,
  })
  .meta({ id: 'Account', description: 'Who has keys, jobs and clips.' });
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
    .meta({ description: 'The `next_cursor` of the answer before.' }),
});
export const Canceled = z
  .object({
    canceled: z.int().meta({ description: 'How many of them are canceled now.' }),
    failed: z.array(z.uuid()).meta({ description: 'Jobs that did not answer: try these again.' }),
    next_cursor,
  })
  .meta({ id: 'Canceled', description: 'Jobs of an account that were canceled.' });

export const KeyOnce = z
  .object({
    key_id,
    kind: Kind,
    name: key_name,
    scope,
    key: z.string().meta({ description: 'The key itself, shown this once.' }),
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
    hint: z.string().meta({ description: 'Its beginning and end.' }),
    expires_at: key_expires_at,
    ingest_limits: IngestLimits.nullable(),
    last_used: z.iso.datetime().nullable().meta({ description: 'To an hour; null before its first use.' }),
    made_by: z.uuid().nullable().meta({ description: 'The key that made it; null if the operator did.' }),
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
    name: z.string().meta({ description: 'Its name.' }),
    token: z.string().meta({ description: 'The token itself, shown this once.' }),
    push_secret: z.string().optional().meta({
      description: 'The secret that signs the grants of a push host. Shown this once; replaced with the token.',
    }),
  })
  .meta({ id: 'HostOnce', description: 'A new render host.' });

const time = (description: string) => z.iso.datetime().nullable().meta({ description });
const text = (description: string) => z.string().nullable().meta({ description });

export const HostView = z
  .object({
    host_id,
    name: z.string().meta({ description: 'Its name.' }),
    created_at,
    revoked_at,
    state: z.enum(HOST_STATES).meta({
      description:
        '`idle` and `busy`; `paused` and `draining` by the operator; `set aside` for a while after three jobs in a row failed by its own fault, or because of its build of the game; `resting` for a push host that did not take its last job; `lost` if the lease of its last job ended without a sign of life, for a day or until it comes back; `gone` when it asks for nothing any more.',
    }),
    last_seen: time('When it last called the service, to a minute; null before its first call.'),
    held_until: time('When its pause ends by itself; null where it is not held, or until somebody ends it.'),
    set_aside_until: time('When it is tried again; null where it is not set aside.'),
    set_aside_reason: text('Why its build of the game gets no jobs there; null where it gets some.'),
    resting_until: time('When it is sent a job again; null where it does not rest, or the next job tries it.'),
    resting_reason: text('How it answered the last job; null where it took it.'),
    note: text("The operator's note."),
    labels: HostLabels,
    agent_version: text(
      'Version of its software. This and the following: as it last reported, or as a push host was created; null before that.',
    ),
    renderer: z.enum(RENDERERS).nullable().meta({ description: 'What it draws with.' }),
    game_build: text('Build of the game.'),
    gpu: text('Its GPU.'),
    encoder: text('Its encoder.'),
    max_resolution: z.int().nullable().meta({ description: 'Greatest height in pixels.' }),
    max_fps: z.int().nullable().meta({ description: 'Most frames a second.' }),
    clock_off_s: z.int().nullable().meta({
      description: "Seconds that its clock is ahead of the service's, negative if behind; null within a minute.",
    }),
    jobs: z
      .array(
        z.object({
          job_id: z.uuid().meta({ description: 'The job.' }),
          status: z.enum(JOB_STATUSES).nullable().meta({ description: 'Its state; null where it could not be asked.' }),
          progress: z.number().nullable().meta({ description: '0 to 1; null without a recent heartbeat.' }),
        }),
      )
      .meta({ description: 'Ten of those that it works on.' }),
    failures_24h: z
      .record(z.string(), z.int())
      .meta({ description: 'Attempts that failed on it in 24 hours, by code; of each 500 are counted.' }),
    push: PushSettings.nullable().meta({ description: 'How it is called; null where it polls.' }),
  })
  .meta({ id: 'Host', description: 'A render host without its token.' });

export const HostDetail = HostView.extend({
  slots: z.int().meta({ description: 'Jobs that it may have at a time.' }),
  driver: text("Version of the GPU's driver."),
  free_bytes: z.int().nullable().meta({ description: 'Bytes free for its work folder at its last claim.' }),
  ended: z
    .array(
      z.object({
        job_id: z.uuid().meta({ description: 'The job.' }),
        code: text('Why the attempt failed; null where it made the clip.'),
        started_at: time('When it got the job.'),
        ended_at: z.iso.datetime().meta({ description: 'When it had it no longer.' }),
      }),
    )
    .meta({
      description:
        'Its latest 20 attempts that made a clip or failed, the latest first, as far as they are among the last 2,000 of all hosts. A restart may lose those of the last minute.',
    }),
  faults: z
    .array(
      z.object({
        code: z.string().meta({ description: 'The code.' }),
        count: z.int().meta({ description: 'How often.' }),
        last_at: z.iso.datetime().meta({ description: 'The last time.' }),
        job_ids: z.array(z.uuid()).meta({ description: 'The latest ten jobs.' }),
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
      description: '`paused` or `draining`: no further jobs, those in hand are finished. null lets it go on.',
    }),
    until: z.iso
      .datetime({ offset: true, error: 'must be a time as in 2026-01-31T12:00:00Z' })
      .nullable()
      .optional()
      .meta({ description: 'When the hold ends by itself. Without it, when somebody ends it.' }),
    note: z.string().trim().max(500).nullable().optional().meta({
      description: 'For whoever reads the list. Where it is left out, a change of `hold` takes the old one away.',
    }),
    set_aside: z.literal(false).optional().meta({
      description:
        '`false` deletes its faults, and the report that its recorder does not fit its build: it is tried at once.',
    }),
  })
  .refine(({ hold, until }) => until === undefined || until === null || (hold !== undefined && hold !== null), {
    path: ['until'],
    error: 'is the end of a hold: set `hold` with it',
  })
  .meta({ id: 'HostChanges', description: 'What to change; the rest stays.' });

const registration_id = z.uuid().meta({ description: 'The registration, for revoking it.' });
const Uses = z.int().min(1).max(10_000).meta({ description: 'How many hosts it makes.' });
const expires_at = z.iso.datetime().meta({ description: 'Until when it is good.' });

export const NewRegistration = z
  .strictObject({
    name: Name,
    uses: Uses.default(1),
    expires_in_hours: z
      .number()
      .positive()
      .max(24 * 366)
      .default(24)
      .meta({ description: 'For how long it is good.' }),
  })
  .meta({ id: 'NewHostRegistration', description: 'A token with which machines become render hosts.' });
export const RegistrationOnce = z
  .object({
    registration_id,
    name: z.string().meta({ description: 'Its name.' }),
    token: z.string().meta({ description: 'The token itself, shown this once.' }),
    uses: Uses,
    expires_at,
  })
  .meta({ id: 'HostRegistrationOnce', description: 'A new registration.' });
export const RegistrationList = z
  .object({
    registrations: z.array(
      z
        .object({
          registration_id,
          name: z.string().meta({ description: 'Its name.' }),
          uses: Uses,
          used: z.int().meta({ description: 'How many hosts it has made.' }),
          expires_at,
          created_at,
          revoked_at,
        })
        .meta({ id: 'HostRegistration', description: 'A registration without its token.' }),
    ),
    next_cursor,
  })
  .meta({ id: 'HostRegistrationList', description: 'A page of registrations, the newest first.' });
