import { env } from 'cloudflare:workers';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { watchWork } from '#test/support/objects.ts';
import { CRASH_POINTS, lives, WORKER_CRASH_POINTS } from '../model/actions.ts';
import { live } from '../model/live.ts';
import { createAccount, createHost } from '../support/accounts.ts';
import { ADMIN_TOKEN, sendJson } from '../support/service.ts';
import { createObjectsSystem, type Tally } from './objects-system.ts';

/** Set by `npx node test/soak/cli.ts model`, which sums up the deaths by point. A failed run prints its seed. */
const settings = env as unknown as { MODEL_RUNS: string; MODEL_SEED: string };
const RUNS = Number(settings.MODEL_RUNS);
const SEED = Number(settings.MODEL_SEED);
const POINTS = [...CRASH_POINTS, ...WORKER_CRASH_POINTS];

it(`a real object keeps the contract through ${RUNS} lives`, { timeout: 60 * 60_000 }, async () => {
  const account = await createAccount();
  const { token: hostToken } = await createHost();
  // The model does not know which hosts there are.
  await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${account.id}`, { limits: { fallback: 10_000_000 } });
  await watchWork();
  const tally: Tally = new Map();
  let planned = 0;
  let evictions = 0;
  let steps = 0;
  let runs = 0;
  const life = fc.asyncProperty(lives(30, POINTS), async (life) => {
    steps += life.length;
    planned += life.filter(({ evict }) => evict).length;
    const system = createObjectsSystem(account, hostToken, tally);
    try {
      await live(system, life, {
        evictBeforeAlarms: runs++ % 3 === 0,
        receiverRecovers: runs % 4 !== 0,
        onEvicted: () => evictions++,
      });
    } finally {
      await system.close();
    }
  });
  // One life takes too long here to search for a shorter one that fails too.
  await fc.assert(life, { numRuns: RUNS, seed: SEED, endOnFailure: true });
  const deaths = POINTS.map((point) => `${point} ${tally.get(point) ?? 0}`).join(', ');
  // biome-ignore lint/suspicious/noConsole: what a run covered
  console.log(`seed ${SEED}: ${RUNS} runs, ${steps} steps, ${evictions} steps begun evicted; deaths: ${deaths}`);
  expect(evictions).toBe(planned);
  if (RUNS >= 30) expect(evictions).toBeGreaterThan(steps * 0.3);
});
