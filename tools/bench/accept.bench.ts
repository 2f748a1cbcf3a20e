import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { floor, floorQueued, ours, type Running, type Subject } from './accept/subject.ts';
import { MACHINE, median, numbersOf, quantile, say } from './load.ts';

/**
 * Measures accepting a job and handing it to a waiting host: our service, and the least that the platform can do, each
 * on disk and behind HTTP, with one client. All run at once and take turns with each call. The ratios of one round are
 * compared, so that a machine that gets slower meanwhile does not matter. All start again in each round: objects on one
 * machine are a file each, and some thousands of them exhaust the runtime.
 *
 *     npx node tools/bench/accept.bench.ts [--rounds 7] [--calls 60]
 */
const { rounds: ROUNDS, calls: CALLS } = numbersOf({ rounds: 7, calls: 60 });
const WARM_UP = 10;
const AT_ONCE = 32;
/** The pause between two calls, in which the last one's work ends. */
const PAUSE_MS = 25;

interface Figures {
  readonly accept: number[];
  readonly handOver: number[];
  /** Submits a second. */
  rate: number;
}

interface Contestant extends Subject {
  running: Running;
  figures: Figures;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** After each call of one, the others make the same call, in a changing order. */
async function byTurns(all: readonly Contestant[], call: (one: Contestant, n: number) => Promise<void>): Promise<void> {
  for (let n = 0; n < WARM_UP + CALLS; n++) {
    const first = n % all.length;
    for (const one of [...all.slice(first), ...all.slice(0, first)]) {
      await delay(PAUSE_MS);
      await call(one, n - WARM_UP);
    }
  }
}

async function measure(all: readonly Contestant[]): Promise<void> {
  await byTurns(all, async ({ running, figures }, n) => {
    const took = await timed(running.submit);
    if (n >= 0) figures.accept.push(took);
  });
  await byTurns(all, async ({ running, figures }, n) => {
    const took = await timeHandOver(running);
    if (n >= 0 && took !== null) figures.handOver.push(took);
  });
  for (const { running, figures } of all) {
    await delay(PAUSE_MS * 20);
    const total = AT_ONCE * 5;
    let left = total;
    const submitInTurn = async () => {
      while (left-- > 0) await running.submit();
    };
    const took = await timed(() => Promise.all(Array.from({ length: AT_ONCE }, submitInTurn)));
    figures.rate = (total / took) * 1000;
  }
}

async function timeHandOver({ submitHeld, hold, finish }: Running): Promise<number | null> {
  if (!submitHeld || !hold || !finish) return null;
  const held = hold();
  await delay(PAUSE_MS);
  const begun = performance.now();
  const submitted = submitHeld();
  const got = await held;
  const took = performance.now() - begun;
  if (got !== (await submitted)) throw new Error(`the host got ${got}`);
  await finish(got);
  return took;
}

const folder = await mkdtemp(join(tmpdir(), 'accept-bench-'));
const subjects: Subject[] = [floor, floorQueued, ours];
const figures = new Map<string, Figures[]>(subjects.map(({ name }) => [name, []]));

say(`${new Date().toISOString().slice(0, 16)}Z, ${MACHINE}`);
say(`${ROUNDS} rounds of ${CALLS} calls; load average at the beginning ${load()}`);
for (let round = 0; round < ROUNDS; round++) {
  const all = await Promise.all(
    subjects.map(async (subject): Promise<Contestant> => {
      const own = join(folder, `${subject.name}-${round}`);
      await mkdir(own);
      return { ...subject, running: await subject.start(own), figures: { accept: [], handOver: [], rate: 0 } };
    }),
  );
  // The order changes from round to round.
  await measure([...all.slice(round % all.length), ...all.slice(0, round % all.length)]);
  for (const { name, running, figures: own } of all) {
    figures.get(name)?.push(own);
    await running.stop();
    await rm(join(folder, `${name}-${round}`), { recursive: true, force: true });
  }
}
report();
await rm(folder, { recursive: true, force: true });
process.exit();

function load(): string {
  return loadavg()
    .map((one) => one.toFixed(1))
    .join(' ');
}

/** Prints the medians of each subject's rounds, and of its ratios to another one. */
function report(): void {
  const of = (name: string, what: (one: Figures) => number) => (figures.get(name) ?? []).map(what);
  const column = (name: string, what: (one: Figures) => number) => median(of(name, what)).toFixed(1).padStart(8);
  say(`load average at the end ${load()}; medians of rounds\n`);
  say('                   accept, ms        to a held host, ms    submits a second');
  say('                   p50      p99         p50      p99       32 at once');
  for (const { name } of subjects) {
    const accept = `${column(name, ({ accept }) => median(accept))} ${column(name, ({ accept }) => quantile(accept, 0.99))}`;
    const held = `${column(name, ({ handOver }) => median(handOver))} ${column(name, ({ handOver }) => quantile(handOver, 0.99))}`;
    say(`${name.padEnd(15)}${accept}    ${held}   ${column(name, ({ rate }) => rate)}`);
  }
  say('\nours next to the floors, medians of the ratios of rounds');
  type Figure = (one: Figures) => number;
  const compare = (what: string, mine: Figure, other: string, theirs: Figure, whose = ours.name) => {
    const others = of(other, theirs);
    const ratios = of(whose, mine).map((one, round) => one / (others[round] ?? Number.NaN));
    say(`  ${what.padEnd(58)} × ${median(ratios).toFixed(2)}`);
  };
  for (const [label, q] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    const accept = ({ accept }: Figures) => quantile(accept, q);
    const handOver = ({ handOver }: Figures) => quantile(handOver, q);
    compare(`accept ${label} : floor's accept`, accept, floor.name, accept);
    compare(`accept ${label} : that of the floor, queued`, accept, floorQueued.name, accept);
    compare(`hand-over ${label} : floor's accept`, handOver, floor.name, accept);
  }
  const rate = ({ rate }: Figures) => rate;
  for (const { name } of [floor, floorQueued]) compare(`submits a second : ${name}'s`, rate, name, rate);
  compare(`submits a second of the floor, queued : floor's`, rate, floor.name, rate, floorQueued.name);
}
