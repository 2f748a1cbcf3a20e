import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { ROLES } from '#domain/operator.ts';

/** What operators need beside the index itself. Times are milliseconds since the epoch. */

/** Operators with a token of their own, beside whoever has the deployment's. Only the first database has any. */
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

/** Sessions of the console. Only the first database has any. */
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

/** Who changed what. Only the first database has rows. */
export const audit = sqliteTable(
  'audit',
  {
    id: text().primaryKey(),
    createdAt: integer('created_at').notNull(),
    /** Null for the deployment's own token. */
    operatorId: text('operator_id'),
    /** As it was then. */
    operator: text().notNull(),
    /** The operation's name in the table of routes. */
    action: text().notNull(),
    /** Ids of what was changed, as JSON: those of the address, and those of what was made. */
    target: text({ mode: 'json' }).$type<Readonly<Record<string, string>>>().notNull(),
    /** The body as it was sent, as JSON text, cut to some length. */
    changes: text(),
    /** Null where nobody knows whether it was done. */
    status: integer(),
    requestId: text('request_id').notNull(),
  },
  (table) => [index('audit_created').on(table.createdAt, table.id)],
);

/**
 * What there was on a day (UTC, counted from the epoch), written by triggers: `done` and `error <code>` count runs by
 * their outcome on the day that they ended, `clips` what is stored of clips that were rendered that day.
 */
export const dayCounts = sqliteTable(
  'day_counts',
  {
    day: integer().notNull(),
    name: text().notNull(),
    count: integer().notNull(),
    /** Of `done` seconds of clip, of `clips` bytes. */
    amount: real().notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.name] })],
);

/** Tokens with which machines become hosts by themselves. */
export const hostRegistrations = sqliteTable(
  'host_registrations',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    tokenSha256: text('token_sha256').notNull(),
    /** How many hosts it makes, and how many it has made. */
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
