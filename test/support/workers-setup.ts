import { type D1Migration, evictDurableObject, listDurableObjectIds, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterAll } from 'vitest';

/**
 * Limits the test pool to one proxy around the prototype of an object's class. It adds one with each object that starts
 * (`createProxyPrototypeClass` of @cloudflare/vitest-pool-workers up to 0.23.0; cloudflare/workers-sdk issue 15092), so
 * each call of an object would take longer than the one before.
 */
const wrapped = new WeakSet<object>();

globalThis.Proxy = new Proxy(Proxy, {
  construct(target, [object, handler]: [object, ProxyHandler<object>]) {
    if (wrapped.has(object)) return object;
    const proxy = new target(object, handler);
    if (object.constructor?.name === 'Class' && object.constructor.prototype === object) wrapped.add(proxy);
    return proxy;
  },
});

const bindings = env as unknown as {
  DB: D1Database;
  CLIPS: R2Bucket;
  ASSETS: R2Bucket;
  TEST_MIGRATIONS: D1Migration[];
} & Record<'RENDER_JOB' | 'DISPATCHER' | 'PUSH_HOST' | 'PURGE_QUEUE', DurableObjectNamespace>;
const { DB, CLIPS, ASSETS, RENDER_JOB, DISPATCHER, PUSH_HOST, PURGE_QUEUE } = bindings;

// Files that share a runtime begin with an empty service.
const { results: tables } = await DB.prepare(
  `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'`,
).all<{ name: string }>();
const statements =
  tables.length > 0
    ? ['PRAGMA defer_foreign_keys = on', ...tables.map(({ name }) => `DELETE FROM ${name}`)]
    : bindings.TEST_MIGRATIONS.flatMap(({ queries }) => queries);
// One transaction: one statement at a time takes longer than most tests.
await DB.batch(statements.map((statement) => DB.prepare(statement)));

const shared = globalThis as { endedJobs?: Set<string> };
/** Jobs of the files before this one. */
const ended = shared.endedJobs ?? new Set<string>();
shared.endedJobs = ended;

afterAll(async () => {
  // An eviction waits for the object's work: an object that is created after the end of a file cannot load its module.
  const jobs = (await listDurableObjectIds(RENDER_JOB)).filter((id) => !ended.has(String(id)));
  for (const id of jobs) ended.add(String(id));
  // One that is not running, or is broken, has nothing to end. One whose events somebody followed is not released.
  const evicted = jobs.map((id) => evictDurableObject(RENDER_JOB.get(id)).catch(() => {}));
  await Promise.race([Promise.all(evicted), scheduler.wait(3000)]);
  for (const namespace of [DISPATCHER, PUSH_HOST, PURGE_QUEUE]) {
    for (const id of await listDurableObjectIds(namespace)) {
      const object = namespace.get(id);
      await runInDurableObject(object, (_, { storage }) => storage.deleteAll());
      await evictDurableObject(object);
    }
  }
  for (const bucket of [CLIPS, ASSETS]) {
    const { objects } = await bucket.list();
    await bucket.delete(objects.map(({ key }) => key));
  }
});

/** Replaces the name that the runtime gives the bundle by its path, so that reports find its map. */
const format = Error.prepareStackTrace;
if (format) {
  Error.prepareStackTrace = (error, sites) =>
    String(format(error, sites)).replaceAll(/([^\s()]+\.mjs)\?mf_vitest_force=ESModule/g, '/$1');
}
