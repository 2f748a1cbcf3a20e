import { expect, it } from 'vitest';
import { CRASH_POINTS, type Happening } from './actions.ts';
import { createEngineSystem, type Deaths } from './engine-system.ts';
import { Crash } from './system.ts';

const HOUR = 60 * 60_000;
const complete = { do: 'complete', stale: false } as const;
const ENDS: Record<string, Happening> = {
  complete,
  fail: { do: 'fail', code: 'render_failed', stale: false },
  delete: { do: 'delete-clip' },
  'take-down': { do: 'take-down' },
  resubmit: { do: 'resubmit' },
};

/** Ends an upgrade that a host works on. The object dies at the point, and hosts and clients repeat what got lost. */
async function endAt(end: Happening, point: (typeof CRASH_POINTS)[number], evicts: boolean) {
  const deaths: Deaths = new Map();
  const system = createEngineSystem(deaths);
  const fenceNow = async () =>
    (await system.snapshot())?.job.upgrade?.fence ?? (await system.snapshot())?.job.fence ?? 0;
  const call = async (happening: Happening) => system.call(happening, await fenceNow());
  const survived = async (work: () => Promise<unknown>) => {
    await work().catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error;
    });
  };
  async function pass(ms: number): Promise<void> {
    const until = system.now() + ms;
    for (let at = await system.alarmAt(); at !== null && at <= until; at = await system.alarmAt()) {
      if (evicts) await system.evict();
      system.setNow(Math.max(at, system.now()));
      await survived(() => system.ring());
    }
    system.setNow(until);
  }
  await call({ do: 'submit', acceptable: true, webhook: true, priority: false, fallback: true, upgrade: true });
  await system.claim();
  await call({ do: 'fail', code: 'demo_incompatible', stale: false });
  await pass(20_000);
  await system.claim();
  await call(complete);
  await pass(20_000);
  expect(await system.claim()).toBe(3);
  await call({ do: 'heartbeat', phase: 'render', stale: false });
  expect(await system.view()).toMatchObject({ status: 'done' });
  await call({ do: 'upload', stale: false });
  await system.crashAt(point);
  await survived(() => call(end));
  await system.crashAt(null);
  if (system.diedAt() !== null) await survived(() => call(end));
  for (let rounds = 0; rounds < 50 && (await system.alarmAt()) !== null; rounds++) {
    await pass(5 * HOUR);
    if ((await system.view())?.status !== 'pending') continue;
    await system.claim();
    await call(complete);
  }
  const snapshot = await system.snapshot();
  const sent = await system.sent();
  await system.close();
  return { snapshot, sent, aftermath: await system.aftermath() };
}

for (const [name, end] of Object.entries(ENDS)) {
  it.each(CRASH_POINTS)(`an upgrade that ends by ${name} leaves nothing if its object dies at %s`, async (point) => {
    for (const evicts of [false, true]) {
      const { snapshot, sent, aftermath } = await endAt(end, point, evicts);
      const job = snapshot?.job;
      expect(job).toMatchObject({ status: 'done', run: name === 'resubmit' ? 2 : 1 });
      expect([job?.upgrade, snapshot?.outbox, snapshot?.alarmAt]).toEqual([undefined, [], null]);
      const files = [job?.clip?.video.key, job?.clip?.thumbnail.key];
      expect(aftermath.files.toSorted()).toEqual(job?.clip?.state === 'ready' ? files.toSorted() : []);
      expect(aftermath).toMatchObject({ openUploads: 0, isQueued: false });
      expect(aftermath.metered).toEqual(name === 'resubmit' ? [1, 2] : [1]);
      const delivered = new Set(sent.map(({ deliveryId }) => deliveryId)).size;
      expect(delivered).toBe(name === 'complete' || name === 'resubmit' ? 2 : 1);
    }
  });
}
