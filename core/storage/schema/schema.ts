import { isNull, sql } from 'drizzle-orm';
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { KEY_KINDS, SCOPES, TIERS, UPLOAD_SOURCES, type Viewing } from '#domain/account/account.ts';
import type { Clip } from '#domain/clip/clip.ts';
import { ASPECTS, ASSET_USES } from '#domain/clip/render-order.ts';
import { HOLDS } from '#domain/host/host-state.ts';
import { ACCOUNT_RENDERERS, RENDERERS } from '#domain/host/need.ts';
import { TROUBLES } from '#domain/job/delivery.ts';
import { JOB_STATUSES } from '#domain/job/job.ts';
import { IMAGE_TYPES } from '#domain/lib/image-header.ts';
import { SOUND_TYPES } from '#domain/lib/sound-header.ts';
import type { AccountLimits, IngestLimits } from '#domain/operate/limits.ts';
import type { UploadFacts } from '#protocol/demo/uploads.ts';

/**
 * D1 is an index of what the RenderJob objects own, and the store of accounts, keys and hosts. Times are milliseconds
 * since the epoch. Rows of `jobs` and `clips` change only to a higher `version`.
 */

const labels = () => text({ mode: 'json' }).$type<readonly string[]>().notNull().default([]);

export const accounts = sqliteTable(
  'accounts',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    /** 32 random bytes in hexadecimal, from which job ids of idempotency keys are derived. */
    idSalt: text('id_salt').notNull(),
    /** How many reserved jobs are covered at a time; null for all. */
    provisionedSlots: integer('provisioned_slots'),
    /** Null for the deployment's renderer. */
    renderer: text({ enum: ACCOUNT_RENDERERS }),
    /** Labels that a host must have. */
    labels: labels(),
    /** How its clips are shown, if it differs from the default. */
    viewing: text({ mode: 'json' }).$type<Partial<Viewing>>(),
    createdAt: integer('created_at').notNull(),
    /** Since when it is suspended; null otherwise. */
    suspendedAt: integer('suspended_at'),
    /** Since when it is being erased; null otherwise. */
    erasingAt: integer('erasing_at'),
    /** Its own limits, if they differ from the deployment's. */
    limits: text({ mode: 'json' }).$type<AccountLimits>().notNull().default({}),
    /** The account whose test keys use this one (decision 063); null for a customer's account. */
    testOf: text('test_of'),
  },
  (table) => [
    index('accounts_created').on(table.createdAt, table.id),
    uniqueIndex('accounts_test').on(table.testOf).where(sql`${table.testOf} IS NOT NULL`),
    index('accounts_erasing').on(table.erasingAt).where(sql`${table.erasingAt} IS NOT NULL`),
  ],
);

export const apiKeys = sqliteTable(
  'api_keys',
  {
    id: text().primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    kind: text({ enum: KEY_KINDS }).notNull(),
    /** SHA-256 of the key in hexadecimal; the key itself is shown once and never stored. */
    sha256: text().notNull(),
    /** The key's first and last characters, to recognise it by. */
    hint: text().notNull(),
    createdAt: integer('created_at').notNull(),
    revokedAt: integer('revoked_at'),
    /** For display. */
    name: text(),
    scope: text({ enum: SCOPES }).notNull().default('manage'),
    expiresAt: integer('expires_at'),
    /** Only of scope `ingest`. */
    ingestLimits: text('ingest_limits', { mode: 'json' }).$type<IngestLimits>(),
    /** Accurate to an hour. */
    usedAt: integer('used_at'),
    /** The key that made it; null if the operator did. */
    madeBy: text('made_by'),
  },
  (table) => [
    uniqueIndex('api_keys_sha256').on(table.sha256),
    index('api_keys_made_by').on(table.madeBy).where(sql`${table.madeBy} IS NOT NULL`),
    index('api_keys_account').on(table.accountId, table.createdAt, table.id),
  ],
);

export const hosts = sqliteTable(
  'hosts',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    tokenSha256: text('token_sha256').notNull(),
    createdAt: integer('created_at').notNull(),
    revokedAt: integer('revoked_at'),
    /** The operator's policy. `revision` grows with each change of it. */
    labels: labels(),
    hold: text({ enum: HOLDS }),
    /** Null until an operator ends it. */
    holdUntil: integer('hold_until'),
    note: text(),
    revision: integer().notNull().default(0),
    /** JSON of its last reported capabilities; null before its first claim. Written at most once a minute. */
    capabilities: text(),
    /** When that was written: within an hour of its last claim. */
    seenAt: integer('seen_at'),
    /** The build of the game that its recorder does not fit; null if it reported none. */
    unfitBuild: text('unfit_build'),
    /** The host's words for that fault. */
    unfitDetail: text('unfit_detail'),
    /** JSON of `PushSettings` of a push host; null for a host that polls. */
    push: text(),
  },
  (table) => [
    uniqueIndex('hosts_token_sha256').on(table.tokenSha256),
    index('hosts_created').on(table.createdAt, table.id),
  ],
);

/** Failed attempts by host, kept for a day, limited for each code. */
export const hostFailures = sqliteTable(
  'host_failures',
  {
    hostId: text('host_id').notNull(),
    code: text().notNull(),
    failedAt: integer('failed_at').notNull(),
    jobId: text('job_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.hostId, table.code, table.failedAt, table.jobId] }),
    index('host_failures_failed').on(table.failedAt),
  ],
);

export const jobs = sqliteTable(
  'jobs',
  {
    id: text().primaryKey(),
    accountId: text('account_id').notNull(),
    clipId: text('clip_id').notNull(),
    version: integer().notNull(),
    status: text({ enum: JOB_STATUSES }).notNull(),
    /** Lists exclude inspections. */
    mode: text({ enum: ['round', 'timeline', 'inspect'] }).notNull(),
    priority: integer({ mode: 'boolean' }).notNull(),
    fps: integer(),
    resolution: integer().notNull(),
    errorCode: text('error_code'),
    createdAt: integer('created_at').notNull(),
    finishedAt: integer('finished_at'),
    /** When the cron should call the job; null if nothing is pending. */
    upkeepAt: integer('watch_at'),
    /** The trouble of its last webhook; null if there is none. */
    webhookTrouble: text('webhook_trouble', { enum: TROUBLES }),
    /** When that webhook was created. */
    troubleAt: integer('trouble_at'),
    /** Since when its request is not needed, if the operator limits its retention (`idleSince`). */
    idleSince: integer('idle_since'),
    /**
     * Since when it may be deleted to make room for other jobs of its account; null if it must not be deleted
     * (`spareSince`).
     */
    spareSince: integer('spare_since'),
    /** When this row was written, by the database's clock: never earlier than another row of the account. */
    changedAt: integer('changed_at').notNull().default(0),
    /** The run of a rule that made it; null for a client's job. */
    ruleRun: text('rule_run'),
    isTest: integer('is_test', { mode: 'boolean' }).notNull().default(false),
    /** The upload that an inspection reads; null for a demo elsewhere. */
    inspectedUpload: text('inspected_upload'),
    /** Whether it has a replay and no ready clip. */
    hasReplay: integer('has_replay', { mode: 'boolean' }).notNull().default(false),
    /** Bytes of the JSON of its request, with the webhook's header. */
    bytes: integer().notNull().default(0),
  },
  (table) => [
    index('jobs_changed').on(table.accountId, table.changedAt),
    // For operators, over all accounts.
    index('jobs_created').on(table.createdAt, table.id),
    index('jobs_trouble').on(table.troubleAt, table.id).where(sql`${table.webhookTrouble} IS NOT NULL`),
    index('jobs_list').on(table.accountId, table.mode, table.createdAt, table.id),
    index('jobs_list_status').on(table.accountId, table.status, table.mode, table.createdAt, table.id),
    index('jobs_unfinished').on(table.accountId).where(sql`${table.finishedAt} IS NULL`),
    index('jobs_idle').on(table.idleSince, table.id).where(sql`${table.idleSince} IS NOT NULL`),
    index('jobs_spare').on(table.accountId, table.spareSince, table.id).where(sql`${table.spareSince} IS NOT NULL`),
    index('jobs_inspected').on(table.finishedAt).where(sql`${table.mode} = 'inspect'`),
    index('jobs_uploads').on(table.accountId, table.inspectedUpload).where(sql`${table.inspectedUpload} IS NOT NULL`),
    index('jobs_test').on(table.createdAt, table.id).where(sql`${table.isTest} = 1`),
    index('jobs_rule_run').on(table.ruleRun, table.createdAt).where(sql`${table.ruleRun} IS NOT NULL`),
    index('jobs_replays').on(table.accountId, table.clipId).where(sql`${table.hasReplay} = 1`),
    index('jobs_watch').on(table.upkeepAt).where(sql`${table.upkeepAt} IS NOT NULL`),
  ],
);

export const clips = sqliteTable(
  'clips',
  {
    id: text().primaryKey(),
    accountId: text('account_id').notNull(),
    jobId: text('job_id').notNull(),
    version: integer().notNull(),
    state: text({ enum: ['ready', 'deleted'] }).notNull(),
    isSaved: integer('is_saved', { mode: 'boolean' }).notNull(),
    title: text().notNull(),
    /** JSON of `ClipFacts`; null if the host reported only a title. */
    facts: text(),
    resolution: integer().notNull(),
    /** Null for 16:9. */
    aspect: text({ enum: ASPECTS }),
    fps: integer().notNull(),
    tier: text({ enum: TIERS }).notNull(),
    /** Null if it is not known. */
    renderer: text({ enum: RENDERERS }),
    durationSeconds: real('duration_seconds').notNull(),
    videoKey: text('video_key').notNull(),
    videoBytes: integer('video_bytes').notNull(),
    videoSha256: text('video_sha256').notNull(),
    thumbnailKey: text('thumbnail_key').notNull(),
    thumbnailBytes: integer('thumbnail_bytes').notNull(),
    thumbnailSha256: text('thumbnail_sha256').notNull(),
    createdAt: integer('created_at').notNull(),
    renderedAt: integer('rendered_at').notNull(),
    /** Null unless the operator took it down. */
    removal: text({ mode: 'json' }).$type<Clip['removal']>(),
    /** The address of the message in Discord with the clip, a secret; null if there is none. The job has no copy. */
    message: text(),
  },
  (table) => [
    index('clips_list').on(table.accountId, table.state, table.isSaved, table.createdAt, table.id),
    index('clips_expiry').on(table.renderedAt, table.id).where(sql`${table.state} = 'ready' AND ${table.isSaved} = 0`),
  ],
);

/**
 * Uploaded images and music. A deleted one is hidden at once; row and file are deleted later, so that accepted jobs
 * still find their assets.
 */
export const assets = sqliteTable(
  'assets',
  {
    id: text().primaryKey(),
    accountId: text('account_id').notNull(),
    kind: text({ enum: ASSET_USES }).notNull(),
    name: text(),
    contentType: text('content_type', { enum: [...IMAGE_TYPES, ...SOUND_TYPES] }).notNull(),
    /** Of an image. */
    width: integer(),
    height: integer(),
    /** Of music. */
    seconds: real(),
    bytes: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    deletedAt: integer('deleted_at'),
  },
  (table) => [
    // Includes deleted ones.
    index('assets_stored').on(table.accountId, table.id),
    index('assets_list').on(table.accountId, table.kind, table.createdAt, table.id).where(isNull(table.deletedAt)),
    index('assets_deleted').on(table.deletedAt).where(sql`${table.deletedAt} IS NOT NULL`),
  ],
);

/** Uploaded demos, complete or not. */
export const uploads = sqliteTable(
  'uploads',
  {
    id: text().primaryKey(),
    accountId: text('account_id').notNull(),
    name: text().notNull(),
    bytes: integer().notNull(),
    /** Null until it is known: the bytes are still coming. With a `demoUrl`, of the match's id and the file's name. */
    sha256: text(),
    /** R2's id of the multipart upload. Null if the file comes in one piece. */
    multipartId: text('multipart_id'),
    /** The etag of each stored part by its number. */
    parts: text({ mode: 'json' }).$type<Readonly<Record<string, string>>>().notNull().default({}),
    /** How often each part was stored, by its number. */
    partWrites: text('part_writes', { mode: 'json' }).$type<Readonly<Record<string, number>>>().notNull().default({}),
    createdAt: integer('created_at').notNull(),
    /** Null while parts are missing. */
    completedAt: integer('completed_at'),
    expiresAt: integer('expires_at').notNull(),
    source: text({ enum: UPLOAD_SOURCES }).notNull().default('upload'),
    /** The sender's word for it, which rules can ask for. */
    tag: text(),
    facts: text({ mode: 'json' }).$type<UploadFacts>(),
    /** The key that sent it. */
    keyId: text('key_id'),
    /** Where hosts get the demo; null if storage has it. */
    demoUrl: text('demo_url'),
  },
  (table) => [
    // An account has a file only once. SQLite permits many nulls.
    uniqueIndex('uploads_content').on(table.accountId, table.sha256, table.bytes),
    index('uploads_list').on(table.accountId, table.createdAt, table.id),
    index('uploads_expiry').on(table.expiresAt),
    index('uploads_open').on(table.createdAt).where(isNull(table.completedAt)),
  ],
);

/** Refusals of demos, for operators: a game server does not send a demo again. Kept for a week. */
export const refusedDemos = sqliteTable(
  'refused_demos',
  {
    keyId: text('key_id').notNull(),
    name: text().notNull(),
    status: integer().notNull(),
    reason: text().notNull(),
    accountId: text('account_id').notNull(),
    /** Null if it is not known. */
    bytes: integer(),
    refusedAt: integer('refused_at').notNull(),
    /** How often it was refused. */
    times: integer().notNull().default(1),
  },
  (table) => [
    primaryKey({ columns: [table.keyId, table.name, table.status] }),
    index('refused_demos_refused').on(table.refusedAt),
    index('refused_demos_account').on(table.accountId, table.refusedAt, table.keyId, table.name, table.status),
  ],
);

/** The clips that agents planned (src/agents). A claimed plan counts towards the budget of its day. */
export const agentPlans = sqliteTable(
  'agent_plans',
  {
    id: text().primaryKey(),
    accountId: text('account_id').notNull(),
    /** The body of the submit. */
    request: text({ mode: 'json' }).$type<{ readonly demo_url: string }>().notNull(),
    /** SHA-256 of the plan as JSON: its shots, seconds and price. */
    planSha256: text('plan_sha256').notNull(),
    /** Milliseconds of the clip. */
    length: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    /** How many calls submit it or have submitted it. */
    claims: integer().notNull().default(0),
    /** The time since when it is claimed. */
    claimedAt: integer('claimed_at'),
  },
  (table) => [
    index('agent_plans_account').on(table.accountId, table.createdAt),
    index('agent_plans_created').on(table.createdAt),
  ],
);

/** The progress of sweeps over many runs of the cron: the last key that was read. */
export const cursors = sqliteTable('cursors', {
  name: text().primaryKey(),
  cursor: text().notNull(),
});

export type JobRow = typeof jobs.$inferSelect;
export type ClipRow = typeof clips.$inferSelect;
export type AssetRow = typeof assets.$inferSelect;
export type UploadRow = typeof uploads.$inferSelect;
export type RefusedDemo = typeof refusedDemos.$inferSelect;
