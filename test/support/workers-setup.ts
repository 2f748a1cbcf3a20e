import { type D1Migration, evictDurableObject, listDurableObjectIds } from 'cloudflare:test';
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

const { DB, RENDER_JOB, TEST_MIGRATIONS } = env as unknown as {
  DB: D1Database;
  RENDER_JOB: DurableObjectNamespace;
  TEST_MIGRATIONS: D1Migration[];
};
const queries = TEST_MIGRATIONS.flatMap((migration) => migration.queries);
// One transaction: one statement at a time takes longer than most tests.
await DB.batch(queries.map((query) => DB.prepare(query)));

// An eviction waits for the object's work: an object that is created after the end of a file cannot load its module.
afterAll(async () => {
  const jobs = await listDurableObjectIds(RENDER_JOB);
  // One that is not running, or is broken, has nothing to end. One whose events somebody followed is never released.
  const ended = jobs.map((id) => evictDurableObject(RENDER_JOB.get(id)).catch(() => {}));
  await Promise.race([Promise.all(ended), scheduler.wait(3000)]);
});

/** Replaces the name that the runtime gives the bundle by its path, so that reports find its map. */
const format = Error.prepareStackTrace;
if (format) {
  Error.prepareStackTrace = (error, sites) =>
    String(format(error, sites)).replaceAll(/([^\s()]+\.mjs)\?mf_vitest_force=ESModule/g, '/$1');
}
