import { TEST_KEPT_MS } from '#domain/test-end.ts';
import type { Service } from '#service/service.ts';
import { endTests, OldTestShape, selectOldTests } from '#storage/tests.ts';
import { type Sweep, sweepRows } from './sweep.ts';
import { eraseJobs } from './sweep-erasures.ts';
import type { Upkeep } from './upkeep.ts';

/** Deletes what test keys have made: jobs and clips here, uploads and assets by their own sweeps. */
export async function* sweepTests(service: Pick<Service, 'database' | 'job' | 'log'>, upkeep: Upkeep): Sweep {
  const { database: db } = service;
  const before = upkeep.now - TEST_KEPT_MS;
  await endTests(db, before);
  yield* sweepRows({
    db,
    name: 'sweep-tests',
    size: upkeep.size,
    row: OldTestShape,
    select: (after, limit) => selectOldTests(db, before, after, limit),
    work: (page) => eraseJobs(service, page, upkeep),
  });
}
