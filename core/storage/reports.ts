import { and, desc, eq, getTableColumns, isNull, sql } from 'drizzle-orm';
import type { ReportOutcome } from '#domain/clip-report.ts';
import { customerOf } from './accounts.ts';
import type { Database } from './database.ts';
import { reports } from './operator-schema.ts';
import { clips } from './schema.ts';

type ReportRow = typeof reports.$inferSelect;

/** The most open reports of a clip, and of all clips. */
const MOST_OF_CLIP = 10;
const MOST_OPEN = 5000;

const openOf = (clipId: string) => and(eq(reports.clipId, clipId), isNull(reports.closedAt));

/** Returns false if the clip, or all clips together, have their most open reports: one statement checks and writes. */
export async function insertReport(
  db: Database,
  { id, clipId, createdAt, reason, text, contact }: Omit<ReportRow, 'closedAt' | 'outcome'>,
): Promise<boolean> {
  const { meta } = await db.run(sql`
    INSERT INTO ${reports} (id, clip_id, created_at, reason, text, contact)
    SELECT ${id}, ${clipId}, ${createdAt}, ${reason}, ${text}, ${contact}
    WHERE (SELECT COUNT(*) FROM ${reports} WHERE ${openOf(clipId)}) < ${MOST_OF_CLIP}
      AND ${openUpTo(MOST_OPEN)} < ${MOST_OPEN}`);
  return meta.changes > 0;
}

const openUpTo = (most: number) =>
  sql<number>`(SELECT COUNT(*) FROM (SELECT 1 FROM ${reports} WHERE closed_at IS NULL AND created_at > 0 LIMIT ${most}))`;

/** Counts open reports, up to `most`. */
export async function countOpenReports(db: Database, most: number): Promise<number> {
  const [row] = await db.all<{ open: number }>(sql`SELECT ${openUpTo(most)} AS open`);
  return row?.open ?? 0;
}

interface ReportFilter {
  readonly clipId: string | undefined;
  readonly isOpen: boolean | undefined;
}

/** A report with its clip; null where the clip's row is gone. */
interface ListedReport extends ReportRow {
  readonly jobId: string | null;
  readonly accountId: string | null;
  readonly title: string | null;
}

/** Reads reports with their clips, newest first, after a given one: one more than `limit`, if there is one. */
export async function selectReports(
  db: Database,
  { clipId, isOpen }: ReportFilter,
  after: { readonly createdAt: number; readonly id: string } = { createdAt: Number.MAX_SAFE_INTEGER, id: '' },
  limit: number,
): Promise<ListedReport[]> {
  const { id, createdAt, closedAt } = reports;
  const isMeant = isOpen === undefined ? undefined : isOpen ? sql`${closedAt} IS NULL` : sql`${closedAt} IS NOT NULL`;
  return db
    .select({
      ...getTableColumns(reports),
      jobId: clips.jobId,
      accountId: customerOf(clips.accountId),
      title: clips.title,
    })
    .from(reports)
    .leftJoin(clips, eq(clips.id, reports.clipId))
    .where(
      and(
        clipId === undefined ? undefined : eq(reports.clipId, clipId),
        isMeant,
        sql`(${createdAt}, ${id}) < (${after.createdAt}, ${after.id})`,
      ),
    )
    .orderBy(desc(createdAt), desc(id))
    .limit(limit + 1);
}

/** Closes a report; a closed one stays as it is. Returns false if there is no such report. */
export async function closeReport(db: Database, id: string, outcome: ReportOutcome, now: number): Promise<boolean> {
  const first = { closedAt: sql`COALESCE(closed_at, ${now})`, outcome: sql`COALESCE(outcome, ${outcome})` };
  return (await db.update(reports).set(first).where(eq(reports.id, id))).meta.changes > 0;
}

/** Closes all open reports of a clip that was taken down. */
export async function closeReportsOf(db: Database, clipId: string, now: number): Promise<void> {
  await db.update(reports).set({ closedAt: now, outcome: 'removed' }).where(openOf(clipId));
}

/** Deletes up to `limit` reports from before a time. Returns how many. */
export async function pruneReports(db: Database, before: number, limit: number): Promise<number> {
  const { meta } = await db.run(sql`
    DELETE FROM ${reports} WHERE id IN (
      SELECT id FROM ${reports} WHERE created_at < ${before} ORDER BY created_at LIMIT ${limit})`);
  return meta.changes;
}
