import * as z from 'zod';
import { alertsOf, helpFor, type Vitals } from '#domain/alerts.ts';
import { isoTime } from '#protocol/job-view.ts';
import type { Overview } from '#protocol/operate.ts';
import type { Service } from '#service/service.ts';
import { readDatabaseBytes } from '#storage/account-sums.ts';
import type { Database } from '#storage/database.ts';
import { readCursor, saveCursor } from '#storage/upkeep.ts';
import { EARLY } from './health.ts';

const CURSOR = 'alerts';

const AlertNotesShape = z.object({
  /** When each alert that fires began, in milliseconds since the epoch. */
  since: z.record(z.string(), z.number()),
  /** The firing alerts that the receiver has got. */
  sent: z.array(z.string()),
  lastSent: z.number().nullable(),
  /** Null unless the last attempt to send alerts failed. */
  lastError: z.object({ at: z.number(), error: z.string() }).nullable(),
  upkeepError: z.string().nullable(),
});
/** What the cron has noted about alerts. */
export type AlertNotes = z.infer<typeof AlertNotesShape>;
export const NO_NOTES: AlertNotes = { since: {}, sent: [], lastSent: null, lastError: null, upkeepError: null };

export async function readAlertNotes(db: Database): Promise<AlertNotes> {
  const stored = await readCursor(db, CURSOR);
  return stored === undefined ? NO_NOTES : AlertNotesShape.parse(JSON.parse(stored));
}

export async function saveAlertNotes(db: Database, notes: AlertNotes): Promise<void> {
  await saveCursor(db, CURSOR, JSON.stringify(notes));
}

/** Reads what the alerts need beside the counts of the overview. `upkeepError`: why the last upkeep failed. */
export async function readVitals(
  { database, disk }: Pick<Service, 'database' | 'disk'>,
  { queue, hosts, webhooks, days }: Pick<Overview, 'queue' | 'hosts' | 'webhooks' | 'days'>,
  upkeepError: string | null,
): Promise<Vitals> {
  const oldest = queue.flatMap(({ oldest_s }) => oldest_s ?? []);
  const today = days.at(-1) ?? { done: 0, failed: {} };
  return {
    waiting: queue.reduce((sum, { waiting }) => sum + waiting, 0),
    oldestS: oldest.length === 0 ? null : Math.max(...oldest),
    hosts: (hosts.idle ?? 0) + (hosts.busy ?? 0),
    givenUp: webhooks.given_up,
    done: today.done,
    failed: Object.values(today.failed).reduce((a, b) => a + b, 0),
    upkeepError,
    databaseBytes: await readDatabaseBytes(database),
    isDiskFilling: !(await disk.hasSpace(EARLY)),
  };
}

/** Returns the alerts that fire, with the times that the cron has noted. */
export function firingOf(vitals: Vitals, { since }: AlertNotes): Overview['firing'] {
  return Object.entries(alertsOf(vitals)).map(([alert, text]) => {
    const at = since[alert];
    return { alert, text, since: at === undefined ? null : isoTime(at), help: helpFor(alert) };
  });
}
