import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../lib/database.ts';
import { controls } from '../schema/operator.ts';

export type ControlRow = typeof controls.$inferSelect;

/** Blocks that are kept. Each grant has all of them. */
export const MOST_BLOCKS = 100;

export async function selectControls(db: Database): Promise<ControlRow[]> {
  return db.select().from(controls).orderBy(controls.createdAt, controls.id);
}

/** Adds a control, or replaces the one of the same kind and name. Returns it; null if there are too many blocks. */
export async function putControl(db: Database, row: ControlRow): Promise<ControlRow | null> {
  const { id, kind, name, reason, until, createdAt, operator } = row;
  const [put] = await db.all<ControlRow>(sql`
    INSERT INTO ${controls} (id, kind, name, reason, until, created_at, operator)
    SELECT ${id}, ${kind}, ${name}, ${reason}, ${until}, ${createdAt}, ${operator}
    WHERE (SELECT COUNT(*) FROM ${controls} WHERE kind = ${kind} AND name <> ${name}) < ${MOST_BLOCKS}
    ON CONFLICT (kind, name) DO UPDATE SET reason = excluded.reason, until = excluded.until,
      created_at = excluded.created_at, operator = excluded.operator
    RETURNING id, kind, name, reason, until, created_at AS createdAt, operator`);
  return put ?? null;
}

/** Removes the maintenance, or the block with an id. Returns whether there was one. */
export async function deleteControl(db: Database, kind: ControlRow['kind'], id?: string): Promise<boolean> {
  const { meta } = await db.delete(controls).where(and(eq(controls.kind, kind), id ? eq(controls.id, id) : undefined));
  return meta.changes > 0;
}
