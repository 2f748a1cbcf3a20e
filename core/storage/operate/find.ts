import { asc, type SQL, sql } from 'drizzle-orm';
import { customerOf } from '../account/accounts.ts';
import type { Database } from '../lib/database.ts';
import { hostRegistrations, operators } from '../schema/operator.ts';
import { accounts, clips, hosts, jobs } from '../schema/schema.ts';

// Queries that find things by ids, and their names, for operators.

/** Returns a function that gives the name of an account, a host, a registration or an operator, or a clip's title. */
export async function readNames(
  db: Database,
  ids: readonly (string | null | undefined)[],
): Promise<(id: string | null | undefined) => string | null> {
  const wanted = sql`(SELECT value FROM json_each(${JSON.stringify([...new Set(ids)].filter(Boolean))}))`;
  const of = (table: typeof accounts | typeof hosts | typeof operators | typeof hostRegistrations) =>
    sql`SELECT id, name FROM ${table} WHERE id IN ${wanted} UNION ALL `;
  const rows = await db.all<{ id: string; name: string }>(
    sql`${of(accounts)}${of(hosts)}${of(operators)}${of(hostRegistrations)}
      SELECT id, title AS name FROM ${clips} WHERE id IN ${wanted}`,
  );
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return (id) => (id && names.get(id)) ?? null;
}

/** `name`: a clip's title, a job's state. */
export interface Found {
  readonly kind: 'job' | 'clip' | 'host' | 'account';
  readonly id: string;
  readonly name: string;
  readonly accountId: string | null;
  readonly jobId: string | null;
}

/** The most accounts, and the most hosts, whose names are compared. */
const COMPARED = 2000;
/** The most results by name, of accounts and of hosts. */
const NAMED = 20;

/** Finds what has one of the ids, and the accounts and the hosts whose name contains the text. */
export async function selectFound(db: Database, ids: readonly string[], text: string): Promise<Found[]> {
  const wanted = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  // Nested, because D1 allows five terms in a compound.
  const named = (kind: 'account' | 'host', table: SQL) =>
    sql`SELECT ${kind}, id, name, NULL, NULL FROM ${table} WHERE id IN ${wanted}
      UNION ALL SELECT ${kind}, id, name, NULL, NULL FROM (SELECT id, name FROM
        (SELECT id, name FROM ${table} WHERE (created_at, id) > (-1, '') ORDER BY created_at, id LIMIT ${COMPARED})
        AS looked WHERE instr(lower(name), lower(${text})) > 0 LIMIT ${NAMED})`;
  return db.all<Found>(sql`
    SELECT 'job' AS kind, id, status AS name, ${customerOf(jobs.accountId)} AS accountId, id AS jobId FROM ${jobs}
      WHERE id IN ${wanted}
    UNION ALL SELECT 'clip', id, title, ${customerOf(clips.accountId)}, job_id FROM ${clips} WHERE id IN ${wanted}
    UNION ALL SELECT * FROM (${named('account', sql`(SELECT * FROM ${accounts} WHERE test_of IS NULL)`)})
    UNION ALL SELECT * FROM (${named('host', sql`${hosts}`)})`);
}

/** Returns the salts of the job ids of accounts, the oldest accounts first. */
export async function selectSalts(db: Database, account: string | undefined, limit: number): Promise<string[]> {
  const { idSalt, createdAt, id } = accounts;
  const which = account === undefined ? sql`(${createdAt}, ${id}) > (-1, '')` : sql`${id} = ${account}`;
  const found = db.select({ idSalt }).from(accounts).where(which).orderBy(asc(createdAt), asc(id)).limit(limit);
  return (await found).map((row) => row.idSalt);
}

/** When a job was submitted and its clip rendered. `isFirst`: 0 if the clip was rendered before. */
export interface MadeClip {
  readonly submittedAt: number;
  readonly renderedAt: number;
  readonly isFirst: 0 | 1;
}

/** Reads the latest clips that were rendered after a time, the latest first, but for saved ones. */
export async function selectMadeClips(db: Database, since: number, limit: number): Promise<MadeClip[]> {
  return db.all<MadeClip>(sql`SELECT ${jobs.createdAt} AS submittedAt, looked.rendered_at AS renderedAt,
    looked.created_at = looked.rendered_at AS isFirst FROM
    (SELECT job_id, created_at, rendered_at FROM ${clips} INDEXED BY clips_expiry
      WHERE state = 'ready' AND is_saved = 0 AND rendered_at > ${since}
      ORDER BY rendered_at DESC, id DESC LIMIT ${limit}) AS looked
    JOIN ${jobs} ON ${jobs.id} = looked.job_id AND NOT ${jobs.isTest}`);
}
