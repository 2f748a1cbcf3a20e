import * as z from 'zod';
import type { HostState } from '#domain/host/host-state.ts';
import { isUnservable } from '#domain/host/wait.ts';
import { DAY_MS } from '#domain/job/metering.ts';
import { alertsOf, helpFor, type Vitals } from '#domain/operate/alerts.ts';
import { isoTime } from '#protocol/lib/shapes.ts';
import { type BackupState, EARLY } from '#protocol/operate/controls.ts';
import type { Overview } from '#protocol/operate/operate.ts';
import type { HostCount } from '#rpc/dispatcher.ts';
import type { Service } from '#service/lib/service.ts';
import { readDatabaseBytes } from '#storage/job/retention.ts';
import type { Database } from '#storage/lib/database.ts';
import { selectErasing } from '#storage/operate/erasure.ts';
import { readCursor, saveCursor } from '#storage/operate/upkeep.ts';
import type { Counts } from './numbers.ts';

/** Three times the time between two backups. */
const OLD_BACKUP_MS = 30 * 60_000;
const CURSOR = 'alerts';
/** The longest wait for a host that is not there, without an alert: hosts may restart. */
const WITHOUT_HOST_S = 5 * 60;

const AlertNotesShape = z.object({
  /** When each alert that fires began, in milliseconds since the epoch. */
  since: z.record(z.string(), z.number()),
  /** The firing alerts that the receiver has got. */
  sent: z.array(z.string()),
  lastSent: z.number().nullable(),
  /** Since when alerts cannot be sent, and the last error; null if the last attempt succeeded. */
  lastError: z.object({ at: z.number(), error: z.string() }).nullable(),
  upkeepError: z.string().nullable(),
  nearLimit: z.string().nullable().default(null),
});
/** What the cron has noted about alerts. */
export type AlertNotes = z.infer<typeof AlertNotesShape>;
export const NO_NOTES: AlertNotes = {
  since: {},
  sent: [],
  lastSent: null,
  lastError: null,
  upkeepError: null,
  nearLimit: null,
};

export async function readAlertNotes(db: Database): Promise<AlertNotes> {
  const stored = await readCursor(db, CURSOR);
  return stored === undefined ? NO_NOTES : AlertNotesShape.parse(JSON.parse(stored));
}

export async function saveAlertNotes(db: Database, notes: AlertNotes): Promise<void> {
  await saveCursor(db, CURSOR, JSON.stringify(notes));
}

/** Reads what the alerts need beside the counts of the overview and the dispatcher. */
export async function readVitals(
  { database, disk }: Pick<Service, 'database' | 'disk'>,
  { queue, waits, hosts, webhooks, days, numbers }: Counts,
  noted: Pick<Vitals, 'upkeepError' | 'alertError' | 'nearLimit'>,
  now: number,
): Promise<Vitals> {
  const buildsOf = (...states: HostState[]) =>
    numbers.hosts.flatMap(({ state, build }) => (states.includes(state) ? [build] : []));
  const working = buildsOf('idle', 'busy');
  const oldest = queue.flatMap(({ oldest_s }) => oldest_s ?? []);
  const unservable = waits.filter((wait) => isUnservable(wait) && wait.oldest_s >= WITHOUT_HOST_S);
  const [most] = unservable;
  const today = days.at(-1) ?? { done: 0, failed: {} };
  return {
    waiting: queue.reduce((sum, { waiting }) => sum + waiting, 0),
    oldestS: oldest.length === 0 ? null : Math.max(...oldest),
    hosts: (hosts.idle ?? 0) + (hosts.busy ?? 0),
    setAside: hosts['set aside'] ?? 0,
    barredBuilds: [...new Set(buildsOf('set aside'))].filter((build) => !working.includes(build)),
    clocksOff: clocksOff(numbers.hosts),
    refused: numbers.refused[0] ?? null,
    lost: hosts.lost ?? 0,
    unservable: most ? { jobs: unservable.reduce((sum, { jobs }) => sum + jobs, 0), text: most.text } : null,
    givenUp: webhooks.given_up,
    done: today.done,
    failed: Object.values(today.failed).reduce((a, b) => a + b, 0),
    ...noted,
    unerased: (await selectErasing(database, now - DAY_MS, undefined, 1))[0]?.id ?? null,
    databaseBytes: await readDatabaseBytes(database),
    isDiskFilling: !(await disk.hasSpace(EARLY)),
    backupFault: backupFault((await disk.state())?.backups ?? null, now),
  };
}

/** Counts the hosts that call now and have a wrong clock. */
export function clocksOff(groups: readonly HostCount[]): number {
  return groups.reduce(
    (sum, { state, clocksOff: count }) => sum + (state === 'gone' || state === 'lost' ? 0 : count),
    0,
  );
}

function backupFault(backups: BackupState | null, now: number): string | null {
  if (backups === null) return null;
  const { startedAt, doneAt, error } = backups;
  if (error !== null) return `The last backup failed: ${error}`;
  if (now - Math.max(startedAt, doneAt) <= OLD_BACKUP_MS) return null;
  return doneAt === 0 ? 'There is no backup yet.' : `The newest backup is of ${isoTime(doneAt)}.`;
}

/** Returns the alerts that fire, with the times that the cron has noted. */
export function firingOf(vitals: Vitals, { since }: AlertNotes, now: number): Overview['firing'] {
  return Object.entries(alertsOf(vitals, (alert) => now - (since[alert] ?? now))).map(([alert, text]) => {
    const at = since[alert];
    return { alert, text, since: at === undefined ? null : isoTime(at), help: helpFor(alert) };
  });
}
