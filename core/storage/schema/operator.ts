import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { ROLES } from '#domain/operate/operator.ts';

// Tables for operators. Times are milliseconds since the epoch.

/** Operators with a token of their own. */
export const operators = sqliteTable(
  'operators',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    role: text({ enum: ROLES }).notNull(),
    tokenSha256: text('token_sha256').notNull(),
    createdAt: integer('created_at').notNull(),
    revokedAt: integer('revoked_at'),
  },
  (table) => [
    uniqueIndex('operators_token_sha256').on(table.tokenSha256),
    index('operators_created').on(table.createdAt, table.id),
  ],
);

export const consoleSessions = sqliteTable(
  'console_sessions',
  {
    sha256: text().primaryKey(),
    /** Null for the deployment's own token. */
    operatorId: text('operator_id'),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [index('console_sessions_expires').on(table.expiresAt)],
);

/** The audit log: who changed what. */
export const audit = sqliteTable(
  'audit',
  {
    id: text().primaryKey(),
    createdAt: integer('created_at').notNull(),
    /** Null for the deployment's own token. */
    operatorId: text('operator_id'),
    /** Their name at that time. */
    operator: text().notNull(),
    /** The id of the operation. */
    action: text().notNull(),
    /** Ids of what was changed or created, as JSON. */
    target: text({ mode: 'json' }).$type<Readonly<Record<string, string>>>().notNull(),
    /** The body as sent, cut to some length. */
    changes: text(),
    /** Null if it is unknown whether the change was made. */
    status: integer(),
    requestId: text('request_id').notNull(),
  },
  (table) => [index('audit_created').on(table.createdAt, table.id)],
);

/** What the operator switches while the service runs: maintenance, and blocked demos. */
export const controls = sqliteTable(
  'controls',
  {
    id: text().primaryKey(),
    kind: text({ enum: ['maintenance', 'block'] }).notNull(),
    /** Of a block: the entry of `AddressPolicy.blocked`; else empty. */
    name: text().notNull(),
    reason: text().notNull(),
    /** Null until an operator ends it. */
    until: integer(),
    createdAt: integer('created_at').notNull(),
    /** The name of the operator. */
    operator: text().notNull(),
  },
  (table) => [uniqueIndex('controls_name').on(table.kind, table.name)],
);

/**
 * Counts of a day (UTC, counted from the epoch). Triggers write `done` and `error <code>`, the runs by outcome on the
 * day that they ended. The cron writes `clips`, the stored clips, once a day, under the day 0.
 */
export const dayCounts = sqliteTable(
  'day_counts',
  {
    day: integer().notNull(),
    name: text().notNull(),
    count: integer().notNull(),
    /** Seconds of clip for `done`, bytes for `clips`. */
    amount: real().notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.name] })],
);

/** Tokens with which machines register as hosts. */
export const hostRegistrations = sqliteTable(
  'host_registrations',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    tokenSha256: text('token_sha256').notNull(),
    /** How many hosts it may register, and how many it has. */
    uses: integer().notNull(),
    used: integer().notNull().default(0),
    expiresAt: integer('expires_at').notNull(),
    createdAt: integer('created_at').notNull(),
    revokedAt: integer('revoked_at'),
  },
  (table) => [
    uniqueIndex('host_registrations_token').on(table.tokenSha256),
    index('host_registrations_created').on(table.createdAt, table.id),
  ],
);
