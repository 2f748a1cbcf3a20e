import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CRASH_POINTS, lives } from './actions.ts';
import { createEngineSystem, type Deaths } from './engine-system.ts';
import { live } from './live.ts';

/** `npm run model` sets these; a failed run prints its seed. */
const RUNS = Number(process.env.MODEL_RUNS ?? 400);
const SEED = Number(process.env.MODEL_SEED ?? Date.now() % 2 ** 31);

it(`keeps to the contract through ${RUNS} lives of a job`, { timeout: 30 * 60_000 }, async () => {
  const deaths: Deaths = new Map();
  let steps = 0;
  const life = fc.asyncProperty(
    lives(60),
    fc.boolean(),
    fc.boolean(),
    async (life, evictBeforeAlarms, receiverRecovers) => {
      steps += life.length;
      const system = createEngineSystem(deaths);
      try {
        await live(system, life, { evictBeforeAlarms, receiverRecovers });
      } finally {
        await system.close();
      }
    },
  );
  await fc.assert(life, { numRuns: RUNS, seed: SEED });
  const tally = CRASH_POINTS.map((point) => `${point} ${deaths.get(point) ?? 0}`).join(', ');
  process.stdout.write(`seed ${SEED}: ${RUNS} runs, ${steps} steps, 0 violations; deaths: ${tally}\n`);
  if (RUNS >= 10_000) for (const point of CRASH_POINTS) expect(deaths.get(point), point).toBeGreaterThanOrEqual(20);
});
