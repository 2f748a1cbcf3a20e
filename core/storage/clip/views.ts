import { sql } from 'drizzle-orm';
import type { Database } from '../lib/database.ts';
import { clipViews } from '../schema/usage.ts';

/** Views of one clip on one day, counted from the epoch. */
export interface DayViews {
  readonly day: number;
  readonly views: number;
}

/** Adds the counts of a day, in one statement. */
export async function addViews(db: Database, day: number, counted: ReadonlyMap<string, number>): Promise<void> {
  await db.run(sql`
    INSERT INTO ${clipViews} (day, clip_id, views)
    SELECT ${day}, value->>0, value->>1 FROM json_each(${JSON.stringify([...counted])}) WHERE true
    ON CONFLICT DO UPDATE SET views = views + excluded.views`);
}

/** Reads the days with views, from the first to the last, in order. */
export async function selectViews(db: Database, clipId: string, first: number, last: number): Promise<DayViews[]> {
  const days = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const found = await db.all<DayViews>(sql`
    SELECT day, views FROM ${clipViews}
    WHERE day IN (SELECT value FROM json_each(${JSON.stringify(days)})) AND clip_id = ${clipId}`);
  return found.sort((a, b) => a.day - b.day);
}
