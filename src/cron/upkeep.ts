import * as z from 'zod';
import { DAY_MS } from '#domain/job/metering.ts';
import { assetKey } from '#domain/job/storage-keys.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { eachOf, eachThat, TURN_IS_OVER } from '#service/lib/each-of.ts';
import { advanceRuns } from '#service/rule/advance-runs.ts';
import { removeAssets, selectDeletedAssets } from '#storage/account/assets.ts';
import { ExpiredUploadShape, selectExpiredUploads } from '#storage/demo/uploads.ts';
import { openMetered } from '#storage/lib/database.ts';
import { EXPIRIES, removeExpired } from '#storage/operate/expiry.ts';
import {
  ClipCountShape,
  countClips,
  EndedInspectionShape,
  ExpiredClipShape,
  moveUpkeeps,
  readCursor,
  removeInspections,
  saveCursor,
  selectExpiredClips,
  selectOldInspections,
  selectOverdueJobs,
  UPKEEP_DONE,
} from '#storage/operate/upkeep.ts';
import { selectMovableUploads } from '#storage/rule/rule-runs.ts';
import { byTurns, drain, type Sweep, sweepRows, type Upkeep, type UpkeepReport, type UpkeepService } from './sweep.ts';
import { sweepErasures } from './sweep-erasures.ts';
import { forgetUploads, sweepDemoFiles, sweepFiles } from './sweep-files.ts';
import { forgetRequests, sweepSpareJobs, sweepTests } from './sweep-jobs.ts';
import { sweepViewing } from './sweep-viewing.ts';

/** Rows of a step that calls an object for each. */
const BATCH = 200;

/** Rows that one step deletes without such calls. */
const ROWS = 1000;

/** Rows that one statement reads. */
const PAGE = 10_000;

/** How long a job is not processed again: until the next run. */
const NEXT_RUN = 5 * 60 * 1000;

/** The most time of a run, which ends before the next begins. */
const TIME_MS = 4 * 60 * 1000;

/** Calls of one run: the paid plan allows 10,000, and the alerts need some after the sweeps. */
const MOST_CALLS = 8000;

/** Statements of one run. The paid plan allows 1,000, and the alerts need some after the sweeps. */
const MOST_STATEMENTS = 900;

/** Demos whose runs a step takes on: each makes about 20 statements. */
const RULES = 2;

/** A day: longer than an accepted job waits in the queue and through all its retries. */
const DELETED_ASSET_KEPT = DAY_MS;

/**
 * Runs the cron: wakes jobs whose alarm is overdue and expires clips, both by calling the job, which decides (a clip
 * that was just saved stays). Removes files of assets deleted a day ago, expired uploads and inspections, and files
 * that nothing refers to. Sweeps take turns until nothing is left, or until the time, the calls or the statements of
 * a run are used up. A step gets an equal share of the statements, so that each sweep has a turn in each run; one that
 * needs more is cut, logged, and goes on later. A run may be interrupted or repeated. Rejects after all sweeps if one
 * failed.
 */
export async function runUpkeep(service: UpkeepService, now: number, size = BATCH): Promise<UpkeepReport> {
  const { log } = service;
  const until = service.now() + TIME_MS;
  const report = { called: 0, expired: 0, removed: 0, swept: 0, shown: 0, forgotten: 0, erased: 0, cut: 0 };
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push(error);
  let calls = 0;
  let statements = 0;
  let ofStep = 0;
  let isWhole = true;
  const database = openMetered(service.database, () => {
    if (++ofStep > share) throw new Error(TURN_IS_OVER);
    statements++;
  });
  // Not copied: a copy would evaluate each getter of the service only once.
  const world: UpkeepService = Object.create(service, { database: { value: database } });
  const sweeps = Object.entries(sweepsOf(world, { now, size, report, onFailure }));
  const share = Math.floor(MOST_STATEMENTS / sweeps.length);
  async function* turnsOf(name: string, sweep: Sweep): Sweep {
    for (let isLast = false; !isLast; ) {
      ofStep = 0;
      const step = await sweep.next().catch((error: unknown) => {
        if (ofStep <= share) throw error;
        return { done: true, value: 0 };
      });
      isLast = step.done === true;
      // Even if the step has caught the error.
      if (ofStep > share) {
        report.cut++;
        log('a step of the upkeep was cut', { sweep: name, statements: share });
      }
      if (!isLast) yield step.value ?? 0;
    }
  }
  // Each run begins with another one, because one sweep may use up all calls of a run.
  const first = Math.floor(now / NEXT_RUN) % sweeps.length;
  const turns = [...sweeps.slice(first), ...sweeps.slice(0, first)].map(([name, sweep]) => turnsOf(name, sweep));
  try {
    for await (const made of byTurns(turns, onFailure)) {
      calls += made;
      if (calls + statements >= MOST_CALLS || statements >= MOST_STATEMENTS || service.now() >= until) break;
    }
  } catch {
    isWhole = false;
    log('upkeep stopped early: no calls are left in this run', { ...report });
  }
  // Not the errors themselves: the message of a failed query has its parameters.
  if (failures.length > 0) throw new Error([...new Set(failures.map(reasonOf))].join('; '));
  if (isWhole) await saveCursor(service.database, UPKEEP_DONE, String(now));
  return report;
}

function sweepsOf(service: UpkeepService, upkeep: Upkeep): Readonly<Record<string, Sweep>> {
  return {
    overdueJobs: callOverdue(service, upkeep),
    deletedAssets: removeDeleted(service, upkeep),
    inspections: forgetInspections(service, upkeep),
    uploads: sweepUploads(service, upkeep),
    rules: advanceRules(service, upkeep),
    clipCount: countStoredClips(service, upkeep),
    purges: wakePurges(service),
    requests: forgetRequests(service, upkeep),
    spareJobs: sweepSpareJobs(service, upkeep),
    expiredClips: expireClips(service, upkeep),
    tests: sweepTests(service, upkeep),
    expired: removeAllExpired(service, upkeep),
    clipFiles: sweepFiles(service, upkeep),
    demoFiles: sweepDemoFiles(service, upkeep),
    viewing: sweepViewing(service, upkeep),
    erasures: sweepErasures(service, upkeep),
  };
}

/** Deletes what has only grown old. */
function removeAllExpired({ database: db }: UpkeepService, { now, onFailure }: Upkeep): Sweep {
  const sweeps = Object.values(EXPIRIES).map((one) => drain(ROWS, (limit) => removeExpired(db, one, now, limit)));
  return byTurns(sweeps, onFailure);
}

/** Calls all overdue jobs, because jobs that wait long in the queue must not hide a stuck one. */
function callOverdue({ database: db, job, log }: UpkeepService, { now, size, report }: Upkeep): Sweep {
  const later = now + NEXT_RUN;
  const callPage = async (limit: number) => {
    const overdue = await selectOverdueJobs(db, now, limit);
    // Postponed first, so that a job that fails does not block the others.
    await moveUpkeeps(
      db,
      overdue.map(({ id, upkeepAt }) => ({ id, expected: upkeepAt, next: later })),
    );
    const next = new Map<string, number | null>();
    await eachOf(log, overdue, async ({ id }) => {
      const due = await job(id).runOverdue();
      next.set(id, due === null ? null : Math.max(due, later));
      report.called++;
    });
    await moveUpkeeps(
      db,
      [...next].filter(([, at]) => at !== later).map(([id, at]) => ({ id, expected: later, next: at })),
    );
    return overdue.length;
  };
  return drain(size, callPage, size);
}

/**
 * Counts the stored clips once a day, or at each call of the cron while they fit one page. A trigger that counts each
 * change would cost two written rows a clip.
 */
async function* countStoredClips({ database: db }: UpkeepService, { now }: Upkeep): Sweep {
  const name = 'count-clips';
  const day = Math.floor(now / DAY_MS);
  const stored = await readCursor(db, name);
  let counted = stored === undefined ? null : ClipCountShape.parse(JSON.parse(stored));
  if (counted?.after === null && counted.day === day && counted.looked >= PAGE) return;
  do {
    counted = await countClips(db, counted?.after ? counted : { day, after: '', looked: 0, count: 0, bytes: 0 }, PAGE);
    await saveCursor(db, name, JSON.stringify(counted));
    yield 0;
  } while (counted.after !== null);
}

/** Sets the alarm of waiting purges if the platform has lost it. */
async function* wakePurges({ settings, purges }: UpkeepService): Sweep {
  if (settings.purge === null) return;
  await purges().waiting();
  yield 1;
}

function removeDeleted({ database: db, images }: UpkeepService, { now, report }: Upkeep): Sweep {
  return drain(ROWS, async (limit) => {
    const deleted = await selectDeletedAssets(db, now - DELETED_ASSET_KEPT, limit);
    if (deleted.length === 0) return 0;
    await images.delete(deleted.map(({ id, accountId }) => assetKey(accountId, id)));
    await removeAssets(
      db,
      deleted.map(({ id }) => id),
    );
    report.removed += deleted.length;
    return deleted.length;
  });
}

function forgetInspections({ database: db, job, log, settings }: UpkeepService, { now, size }: Upkeep): Sweep {
  const cutoff = now - settings.demoTtl;
  return sweepRows({
    db,
    name: 'forget-inspections',
    size,
    row: EndedInspectionShape,
    select: (after, limit) => selectOldInspections(db, cutoff, after, limit),
    async work(page) {
      const forgotten = await eachThat(log, page, ({ id }) => job(id).forgetDemo(cutoff));
      const ids = forgotten.map(({ id }) => id);
      if (ids.length > 0) await removeInspections(db, ids, cutoff);
    },
  });
}

function sweepUploads(service: UpkeepService, { now, size }: Upkeep): Sweep {
  const { database: db } = service;
  return sweepRows({
    db,
    name: 'sweep-uploads',
    size,
    row: ExpiredUploadShape,
    select: (after, limit) => selectExpiredUploads(db, now, after, limit),
    work: (page) => forgetUploads(service, page),
  });
}

/** Advances rule runs that nothing else advances: those that waited for a limit, a host or a resumed rule. */
function advanceRules(service: UpkeepService, { now }: Upkeep): Sweep {
  const { database: db, log, settings } = service;
  const { runDeadline } = settings.schedule;
  const full = new Set<string>();
  return sweepRows({
    db,
    name: 'advance-rules',
    size: RULES,
    row: z.string(),
    select: (after, limit) => selectMovableUploads(db, { now, runDeadline }, after ?? '', limit),
    work: (page) => eachOf(log, page, (uploadId) => advanceRuns(service, uploadId, full)),
  });
}

function expireClips({ database: db, job, log, settings }: UpkeepService, { now, size, report }: Upkeep): Sweep {
  const cutoff = now - settings.clipTtl;
  return sweepRows({
    db,
    name: 'expire-clips',
    size,
    row: ExpiredClipShape,
    select: (after, limit) => selectExpiredClips(db, cutoff, after, limit),
    work: (page) =>
      eachOf(log, page, async ({ jobId }) => {
        await job(jobId).expireClip(cutoff);
        report.expired++;
      }),
  });
}
