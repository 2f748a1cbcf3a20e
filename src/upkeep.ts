import { reasonOf } from '../domain/reason.ts';
import { assetKey } from '../domain/storage-keys.ts';
import type { Service } from '../service/service.ts';
import { keptDays } from '../service/views.ts';
import { removeAssets, selectDeletedAssets } from '../storage/assets.ts';
import type { Database } from '../storage/database.ts';
import { pruneHostFailures } from '../storage/hosts.ts';
import {
  type ExpiredClip,
  moveUpkeeps,
  removeInspections,
  selectExpiredClips,
  selectOldInspections,
  selectOverdueJobs,
} from '../storage/upkeep.ts';
import { selectExpiredUploads } from '../storage/uploads.ts';
import { pruneUsage, RUN_KEPT_MS } from '../storage/usage.ts';
import { pruneViews } from '../storage/views.ts';
import { eachOf, isOutOfCalls } from './each-of.ts';
import { forgetRequests } from './forget-requests.ts';
import { makeRoom } from './make-room.ts';
import { sweepErasures } from './sweep-erasures.ts';
import { sweepFiles } from './sweep-files.ts';
import { sweepRecords } from './sweep-records.ts';
import { sweepViewing } from './sweep-viewing.ts';
import { forgetUploads } from './uploads.ts';

/** How much is asked for at a time. */
const BATCH = 200;
/** How many batches of overdue jobs one run takes on, so that it leaves room for the rest. */
const BATCHES = 5;
/** Assets, or uploads, that one statement may name. */
const ASSETS = 100;
/** Runs that are forgotten at a time, as many as one statement may name, and how often in one run of the cron. */
const RUNS = 90;
const PAGES_OF_RUNS = 20;
/** Failures of hosts, and days of views, that are forgotten at a time; and for how long failures are kept. */
const ROWS = 1000;
const FAILURE_KEPT = 24 * 60 * 60 * 1000;
/** A job that was looked at comes up again with the next run at the earliest, whatever its clock or its state says. */
const NEXT_RUN = 5 * 60 * 1000;
/** A run ends before the next begins. */
const TIME_MS = 4 * 60 * 1000;
/** Clips that one run expires: each is a call, and the paid plan allows an invocation 10,000 of them. */
const MOST_EXPIRED = 8000;

/** A day: longer than a job waits in the queue and through all its retries for the watermark it was accepted with. */
const DELETED_ASSET_KEPT = 24 * 60 * 60 * 1000;

type UpkeepWorld = Pick<
  Service,
  | 'database'
  | 'databases'
  | 'dispatchers'
  | 'files'
  | 'images'
  | 'demos'
  | 'demoParts'
  | 'job'
  | 'clipIds'
  | 'settings'
  | 'log'
  | 'now'
>;

export interface UpkeepReport {
  readonly nudged: number;
  readonly expired: number;
  /** Deleted assets whose files are gone now. */
  readonly removed: number;
  /** Files of clips that nothing referred to. */
  readonly swept: number;
  /** Clips of before there were records that have one now. */
  readonly recorded: number;
  /** Clips that are shown as their account wants since. */
  readonly shown: number;
  /** Jobs whose request is forgotten now, and jobs that went with their account. */
  readonly forgotten: number;
  readonly erased: number;
}

/**
 * What the cron does: looks after jobs whose alarm did not come, and expires clips. Both ask the job itself, which
 * decides: a clip that was saved a moment ago stays. And it removes what is left of assets that were deleted a day ago,
 * of uploads and of inspections whose time is up, and of files that nothing refers to. Clips of old get the record that
 * viewers read. A run that is cut short or repeated does no harm. Expiry comes last, because it takes all the time and
 * all the calls that are left.
 */
export async function runUpkeep(service: UpkeepWorld, now: number, batch = BATCH): Promise<UpkeepReport> {
  const { log } = service;
  const until = service.now() + TIME_MS;
  const report = { nudged: 0, expired: 0, removed: 0, swept: 0, recorded: 0, shown: 0, forgotten: 0, erased: 0 };
  const left = { batches: BATCHES };
  const databases = inTurn(service.databases, now);
  const failures: unknown[] = [];
  try {
    for (const db of databases) {
      await goOn(failures, async () => {
        await nudgeOverdue(service, db, now, batch, left, report);
        await removeDeleted(service, db, now, report);
        await forgetInspections(service, db, now);
        await forgetUploads(service, db, await selectExpiredUploads(db, now, ASSETS));
        await forgetRuns(db, now);
        report.forgotten += await forgetRequests(service, db, now);
      });
    }
    for (const db of databases) await goOn(failures, () => makeRoom(service, db, now));
    await goOn(failures, () => forgetFailures(service.databases.home, now));
    await goOn(failures, () => forgetViews(service.databases.home, now));
    await goOn(failures, async () => {
      report.swept = await sweepFiles(service, now);
      report.recorded = await sweepRecords(service, now);
      report.shown = await sweepViewing(service, now);
    });
    await goOn(failures, async () => {
      report.erased = await sweepErasures(service, now);
    });
    for (const db of databases) await goOn(failures, () => expireClips(service, db, now, batch, until, report));
  } catch {
    log('upkeep is cut short: the plan allows this run no more calls', { ...report });
  }
  // The platform logs it whole; a failed query's own message has its parameters.
  if (failures.length > 0) throw new Error(`upkeep failed: ${failures.map(reasonOf).join('; ')}`);
  return report;
}

/** Each run begins with another: what one run can do, one database may use up. */
function inTurn({ names, of }: Service['databases'], now: number): Database[] {
  const first = Math.floor(now / NEXT_RUN) % names.length;
  return [...names.slice(first), ...names.slice(0, first)].map(of);
}

/** What fails keeps nobody from the rest. Rejects only where the platform allows no more calls. */
async function goOn(failures: unknown[], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isOutOfCalls(error)) throw error;
    failures.push(error);
  }
}

type Progress = { -readonly [K in keyof UpkeepReport]: UpkeepReport[K] };

/** Until none is left: jobs that wait long in the queue must not hide one that is stuck. */
async function nudgeOverdue(
  { job, log }: UpkeepWorld,
  db: Database,
  now: number,
  batch: number,
  left: { batches: number },
  report: Progress,
): Promise<void> {
  const later = now + NEXT_RUN;
  for (; left.batches > 0; left.batches--) {
    const overdue = await selectOverdueJobs(db, now, batch);
    // Moved on first: one that cannot be looked at must not stand in front of the others for ever.
    await moveUpkeeps(
      db,
      overdue.map(({ id, upkeepAt }) => ({ id, seen: upkeepAt, next: later })),
    );
    const next = new Map<string, number | null>();
    await eachOf(log, overdue, async ({ id }) => {
      const due = await job(id).nudge();
      next.set(id, due === null ? null : Math.max(due, later));
      report.nudged++;
    });
    await moveUpkeeps(
      db,
      [...next].filter(([, at]) => at !== later).map(([id, at]) => ({ id, seen: later, next: at })),
    );
    if (overdue.length < batch) break;
  }
}

async function removeDeleted({ images }: UpkeepWorld, db: Database, now: number, report: Progress): Promise<void> {
  const deleted = await selectDeletedAssets(db, now - DELETED_ASSET_KEPT, ASSETS);
  if (deleted.length === 0) return;
  await images.delete(deleted.map(({ id, accountId }) => assetKey(accountId, id)));
  await removeAssets(
    db,
    deleted.map(({ id }) => id),
  );
  report.removed += deleted.length;
}

/** Runs whose seconds are in the sums of their days, and that nobody can record a second time any more. */
async function forgetRuns(db: Database, now: number): Promise<void> {
  for (let pages = 0; pages < PAGES_OF_RUNS; pages++) {
    if ((await pruneUsage(db, now - RUN_KEPT_MS, RUNS)) < RUNS) break;
  }
}

async function forgetInspections({ job, log, settings }: UpkeepWorld, db: Database, now: number): Promise<void> {
  const cutoff = now - settings.demoTtl;
  const forgotten: string[] = [];
  await eachOf(log, await selectOldInspections(db, cutoff, RUNS), async (id) => {
    if (await job(id).forgetDemo(cutoff)) forgotten.push(id);
  });
  if (forgotten.length > 0) await removeInspections(db, forgotten, cutoff);
}

async function forgetFailures(db: Database, now: number): Promise<void> {
  for (let pages = 0; pages < PAGES_OF_RUNS; pages++) {
    if ((await pruneHostFailures(db, now - FAILURE_KEPT, ROWS)) < ROWS) break;
  }
}

async function forgetViews(db: Database, now: number): Promise<void> {
  for (let pages = 0; pages < PAGES_OF_RUNS; pages++) {
    if ((await pruneViews(db, keptDays(now).first, ROWS)) < ROWS) break;
  }
}

/** Until none is left, or the time or the calls of a run are used up. */
async function expireClips(
  { job, log, now: clock, settings }: UpkeepWorld,
  db: Database,
  now: number,
  batch: number,
  until: number,
  report: Progress,
): Promise<void> {
  const cutoff = now - settings.clipTtl;
  let last: ExpiredClip | undefined;
  do {
    const page: ExpiredClip[] = await selectExpiredClips(db, cutoff, last, batch);
    await eachOf(log, page, async ({ jobId }) => {
      await job(jobId).expireClip(cutoff);
      report.expired++;
    });
    last = page.length < batch ? undefined : page.at(-1);
  } while (last && report.expired < MOST_EXPIRED && clock() < until);
}
