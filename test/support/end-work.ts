import { evictDurableObject, listDurableObjectIds } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterAll } from 'vitest';

const { RENDER_JOB } = env as unknown as { RENDER_JOB: DurableObjectNamespace };

// An eviction waits for the object's work: an object that is created after the end of a file cannot load its module.
afterAll(async () => {
  const jobs = await listDurableObjectIds(RENDER_JOB);
  // One that is not running, or is broken, has nothing to end.
  await Promise.all(jobs.map((id) => evictDurableObject(RENDER_JOB.get(id)).catch(() => {})));
});
