import { eachThat } from '#service/lib/each-of.ts';
import type { Service } from '#service/lib/service.ts';
import { keptDays } from '#service/lib/views.ts';
import { deletePrefix } from '#storage/clip/clip-files.ts';
import {
  type Erasing,
  ErasingShape,
  type JobOfAccount,
  JobToEraseShape,
  removeAccount,
  removeBelongings,
  removeJobs,
  removeViews,
  selectErasing,
  selectJobsToErase,
  selectUploadsToErase,
  UploadToEraseShape,
} from '#storage/operate/erasure.ts';
import { byTurns, type Sweep, sweepRows, type Upkeep } from './sweep.ts';
import { forgetUploads } from './sweep-files.ts';

/** How many accounts take turns. */
const ACCOUNTS = 100;
/** The time after which every key cache has expired. */
const BEGIN_AFTER_MS = 60_000;
/** The time after which the index has every change that was under way at the beginning, even after an outage. */
const END_AFTER_MS = 60 * 60_000;

type ErasureService = Pick<Service, 'database' | 'dispatcher' | 'files' | 'demos' | 'job' | 'log'>;

/**
 * Erases accounts with all that they own, by turns: first jobs with their clips, each by its own object, then uploads
 * and images, then the account itself. If a job or an upload cannot be erased now, it and the account's own row are
 * left for the next run.
 */
export function sweepErasures(service: ErasureService, upkeep: Upkeep): Sweep {
  const { database } = service;
  return sweepRows({
    db: database,
    name: 'sweep-erasures',
    size: ACCOUNTS,
    row: ErasingShape,
    select: (after, limit) => selectErasing(database, upkeep.now - BEGIN_AFTER_MS, after, limit),
    work: (accounts) =>
      byTurns(
        accounts.map((account) => eraseAccount(service, account, upkeep)),
        upkeep.onFailure,
      ),
  });
}

/** Erases jobs with their clips and views. A job that cannot be erased now keeps its rows. */
export async function eraseJobs(
  { database: db, job, log }: Pick<ErasureService, 'database' | 'job' | 'log'>,
  rows: readonly JobOfAccount[],
  { now, report }: Pick<Upkeep, 'now' | 'report'>,
): Promise<void> {
  const { first, last } = keptDays(now);
  const days = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const gone = await eachThat(log, rows, (row) => job(row.id).erase(row));
  if (gone.length === 0) return;
  const clips = gone.map(({ clipId }) => clipId);
  await removeViews(db, clips, days);
  await removeJobs(db, gone);
  report.erased += gone.length;
}

async function* eraseAccount(service: ErasureService, account: Erasing, upkeep: Upkeep): Sweep {
  const { database: db, dispatcher, demos, log } = service;
  const { now, size } = upkeep;
  const { id } = account;
  yield* sweepRows({
    db,
    name: `erase-jobs ${id}`,
    size,
    row: JobToEraseShape,
    select: (after, limit) => selectJobsToErase(db, id, after, limit),
    work: (page) =>
      eraseJobs(
        service,
        page.map((row) => ({ ...row, accountId: id })),
        upkeep,
      ),
  });
  yield* sweepRows({
    db,
    name: `erase-uploads ${id}`,
    size,
    row: UploadToEraseShape,
    select: (after, limit) => selectUploadsToErase(db, id, after, limit),
    work: (page) => forgetUploads(service, page),
  });
  await deletePrefix(demos, `demos/${id}/`);
  await deletePrefix(demos, `assets/${id}/`);
  await removeBelongings(db, id);
  const [job, upload] = [
    await selectJobsToErase(db, id, undefined, 1),
    await selectUploadsToErase(db, id, undefined, 1),
  ];
  if (account.at > now - END_AFTER_MS || job.length + upload.length > 0) return;
  await dispatcher().suspend(id, false);
  await removeAccount(db, id);
  log('account erased', { account: id }, 'info');
}
