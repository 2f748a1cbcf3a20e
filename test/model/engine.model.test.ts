import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CRASH_POINTS, lives, type Step } from './actions.ts';
import { createEngineSystem, type Deaths } from './engine-system.ts';
import { live } from './live.ts';

/** Set by `npx node test/soak/cli.ts model`. A failed run prints its seed. */
const RUNS = Number(process.env.MODEL_RUNS ?? 30);
const SEED = Number(process.env.MODEL_SEED);

const step = (happening: Step['happening'], crash: Step['crash'] = null, evict = true): Step => ({
  happening,
  evict,
  crash,
});
/** A life that failed once: the object died while storage had an old time and memory had a moved alarm. */
const RENEWED_OFFER: Step[] = [
  step({ do: 'submit', acceptable: true, webhook: true, priority: false, fallback: false }, null, false),
  step({ do: 'claim' }, 'settle:before'),
  step({ do: 'complete', stale: false }, 'delete-files:before'),
  step({ do: 'resubmit' }),
  step({ do: 'pass', ms: 420_000, alarms: 'on-time' }, null, false),
  step({ do: 'save' }, 'abort-uploads:before'),
  step({ do: 'pass', ms: 83_953, alarms: 'late' }, 'commit:before', false),
];

it(`a job keeps the contract through ${RUNS} lives`, { timeout: 30 * 60_000 }, async () => {
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
  await fc.assert(life, { numRuns: RUNS, seed: SEED, examples: [[RENEWED_OFFER, false, false]] });
  const tally = CRASH_POINTS.map((point) => `${point} ${deaths.get(point) ?? 0}`).join(', ');
  process.stdout.write(`seed ${SEED}: ${RUNS} runs, ${steps} steps, 0 violations; deaths: ${tally}\n`);
  if (RUNS >= 10_000) for (const point of CRASH_POINTS) expect(deaths.get(point), point).toBeGreaterThanOrEqual(20);
});
