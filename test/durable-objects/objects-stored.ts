import { runInDurableObject } from 'cloudflare:test';
import type { RenderJob } from '#durable-objects/render-job/render-job.ts';
import { readStoredJob } from '#durable-objects/render-job/stored-job.ts';
import { dispatcherOf } from '#service/lib/service.ts';
import { isUnderWay } from '#test/support/objects.ts';
import { type Aftermath, STORED } from '../model/system.ts';
import type { TestAccount } from '../support/accounts.ts';
import { bindings } from '../support/service.ts';

/** Returns what a job's object stores. */
export async function keptBy(stub: DurableObjectStub<RenderJob>) {
  return runInDurableObject(stub, async (_, { storage }) => {
    const has = (table: string) => storage.sql.exec('SELECT 1 FROM sqlite_master WHERE name = ?', table).toArray()[0];
    if (!has('job')) return null;
    const [row] = storage.sql.exec('SELECT state, outbox, request FROM job').toArray();
    const all = (query: string) => (has('deliveries') ? storage.sql.exec(query).toArray() : []);
    const deliveries = all(STORED.deliveries);
    const attempts = all(STORED.attempts);
    const job = readStoredJob(row as never);
    const now = Date.now();
    const isBusy =
      // Effects that are stored as due may be done already.
      isUnderWay(storage) ||
      deliveries.some(({ nextAt }) => nextAt !== null && Number(nextAt) <= now) ||
      attempts.some(({ at, error }) => at === now && error === 'no outcome was recorded');
    const bodies = all(STORED.bodies).map(({ run }) => Number(run));
    return { ...job, deliveries, attempts, bodies, isBusy, alarmAt: await storage.getAlarm() };
  });
}

export type Kept = NonNullable<Awaited<ReturnType<typeof keptBy>>>;

/** Returns the job's row in the index. */
export async function rowOf(jobId: string | null) {
  return bindings.DB.prepare('SELECT status, version, watch_at FROM jobs WHERE id = ?')
    .bind(jobId)
    .first<{ status: string; version: number; watch_at: number | null }>();
}

/** Returns the keys of the files of a clip. */
export async function filesUnder(clipPrefix: string): Promise<string[]> {
  return (await bindings.CLIPS.list({ prefix: clipPrefix })).objects.map((object) => object.key);
}

/** Returns what a job left outside of its object. */
export async function aftermathOf(
  jobId: string | null,
  uploads: readonly { key: string; uploadId: string }[],
  clipPrefix: string,
): Promise<Aftermath> {
  const row = await rowOf(jobId);
  const usage = await bindings.DB.prepare('SELECT run FROM usage WHERE job_id = ?').bind(jobId).all<{ run: number }>();
  const open = await Promise.all(uploads.map(isOpen));
  const isQueued = await runInDurableObject(
    dispatcherOf(bindings.DISPATCHER),
    (_, { storage }) => storage.sql.exec('SELECT 1 FROM ready WHERE job_id = ?', jobId).toArray().length > 0,
  );
  return {
    indexed: row && { status: row.status, version: row.version, upkeepAt: row.watch_at },
    files: await filesUnder(clipPrefix),
    openUploads: open.filter(Boolean).length,
    isQueued,
    metered: usage.results.map(({ run }) => run),
  };
}

export async function emptyQueue(): Promise<void> {
  await runInDurableObject(
    dispatcherOf(bindings.DISPATCHER),
    (_, { storage }) => void storage.sql.exec('DELETE FROM ready'),
  );
}

/** Returns the id of the job of a key before the job exists. */
export async function jobIdOf(account: TestAccount, key: string): Promise<string> {
  const row = await bindings.DB.prepare('SELECT id_salt FROM accounts WHERE id = ?')
    .bind(account.id)
    .first<{ id_salt: string }>();
  const { jobIdOfKey } = await import('#service/job/submit-one.ts');
  return jobIdOfKey(row?.id_salt ?? '', key);
}

async function isOpen({ key, uploadId }: { key: string; uploadId: string }): Promise<boolean> {
  const part = bindings.CLIPS.resumeMultipartUpload(key, uploadId).uploadPart(1, new Uint8Array([1]));
  return part.then(
    () => true,
    () => false,
  );
}
