import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { composeMatch, createSampleMatch, encodeDemo } from '#demo-writer/index.ts';
import { parseDemo } from '#render-host/match/parse-demo.ts';
import type { MatchResult } from '#render-host/match/read-match.ts';
import { planShots } from '#render-host/plan/plan-shots.ts';
import { HOSTILE_DEMOS, mutateDemo } from '#test/packages/render-host/match/hostile-demos.ts';
import { PLAIN_KILLS } from '#test/support/plain-order.ts';
import { runArchives, watchLateness } from './run-archives.ts';

export interface DemoRun {
  readonly mutated: number;
  readonly seed: number;
  readonly maxMinutes: number;
  readonly crafted: boolean;
  readonly say: (line: string) => void;
}

const MEMORY_MB = 2048;
const LIMITS = { memoryMegabytes: MEMORY_MB, timeoutMs: 60_000 };
/** Memory that a process may allocate between two checks of the limit. */
const MEMORY_SLACK = 1.1;
const HEARTBEAT_MS = 1000;
const AT_ONCE = 2;

const OUTLINE = {
  rounds: [{ startTick: 10, endTick: 300, winner: 'T' as const }],
  kills: [{ tick: 100, attacker: 0, victim: 5, headshot: true }],
  pauses: [{ startTick: 320, endTick: 350 }],
};

/** Sends crafted and randomly changed recordings through the parser's process, and counts the results. */
export async function runDemos({ mutated, seed, maxMinutes, crafted, say }: DemoRun): Promise<boolean> {
  const bases = [
    encodeDemo(composeMatch(OUTLINE)),
    encodeDemo(composeMatch(OUTLINE), { payloadSizes: false, nativeRoundEvents: true }),
    encodeDemo(composeMatch(OUTLINE), { recordedBy: 1, isHeavy: true, jumps: [{ atTick: 200, by: 500 }] }),
    encodeDemo(createSampleMatch({ rounds: 1, seed: 1 })),
  ].map((bytes) => Buffer.from(bytes));
  const counts = new Map<string, number>();
  const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
  const wrong: string[] = [];
  let most = 0;
  const memory = setInterval(async () => {
    most = Math.max(most, await largestParser());
  }, 50);
  let late = 0;

  async function send(what: string, file: Buffer, expected?: string): Promise<void> {
    const workDir = await mkdtemp(join(tmpdir(), 'hostile-'));
    const demoPath = join(workDir, 'match.dem');
    await writeFile(demoPath, file);
    // Making a recording is not the host's work, so it is not measured.
    const lateness = watchLateness();
    try {
      const result = await parseDemo({ demoPath, workDir, signal: new AbortController().signal, limits: LIMITS });
      plan(result);
      const code = result.ok ? 'ok' : result.code;
      count(code);
      const killed = result.ok ? null : /no end of parsing|out of memory|process died/.exec(result.detail)?.[0];
      if (killed) wrong.push(`${what}: ${killed}`);
      if (expected !== undefined && code !== expected) wrong.push(`${what}: ${code} instead of ${expected}`);
    } catch (error) {
      wrong.push(`${what}: escaped: ${String(error)}`);
    }
    late = Math.max(late, lateness.stop());
    await rm(workDir, { recursive: true });
  }

  const made = crafted ? HOSTILE_DEMOS : [];
  for (const { what, make, end } of made) await send(what, make(), end);
  say(`${made.length} crafted: ${[...counts].map(([code, times]) => `${times} ${code}`).join(', ')}`);
  counts.clear();
  const until = performance.now() + maxMinutes * 60_000;
  let next = 0;
  const work = async () => {
    while (next < mutated && performance.now() < until) {
      const at = next++;
      const base = bases[at % bases.length];
      if (base !== undefined) await send(`seed ${seed + at}`, mutateDemo(base, seed + at));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  clearInterval(memory);
  say(`${next} changed at random, from seed ${seed}: ${[...counts].map(([code, n]) => `${n} ${code}`).join(', ')}`);
  say(`escaped, hung, killed or told wrongly: ${wrong.length}`);
  for (const each of wrong.slice(0, 20)) say(`  ${each}`);
  say(`the parser's memory: ${(most / 2 ** 20).toFixed(0)} MB at most, of ${MEMORY_MB} MB`);
  say(`timers late by ${late.toFixed(0)} ms at most`);
  return wrong.length === 0 && late <= HEARTBEAT_MS && most <= MEMORY_MB * MEMORY_SLACK * 2 ** 20;
}

/** Does what a host does with a match in the process that sends its heartbeats. */
function plan(result: MatchResult): void {
  if (!result.ok) return;
  const [first] = result.match.players;
  const steam64Id = first?.steamId ?? '';
  planShots(result.match, { ...PLAIN_KILLS, steam64Id, round: null, preKillPadding: 5, postKillPadding: 5 });
  const segments = Array.from({ length: 20 }, (_, i) => ({
    steam64Id,
    startTick: i * 64_000,
    endTick: (i + 1) * 64_000,
    speed: 1,
  }));
  planShots(result.match, { mode: 'timeline', segments, killSlowdown: null });
}

/** Returns the peak memory of the largest parsing child, in bytes. */
async function largestParser(): Promise<number> {
  const tasks = await readdir('/proc/self/task');
  const lists = await Promise.all(tasks.map((task) => read(`/proc/self/task/${task}/children`)));
  const pids = lists.flatMap((list) => list.split(' ').filter(Boolean));
  const sizes = await Promise.all(
    pids.map(async (pid) => Number(/^VmHWM:\s+(\d+) kB$/m.exec(await read(`/proc/${pid}/status`))?.[1] ?? 0)),
  );
  return Math.max(0, ...sizes) * 1024;
}

const read = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

const number = (text: string): number => {
  const value = Number(text);
  if (!(value >= 0)) throw new InvalidArgumentError('It must be a number.');
  return value;
};

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const end = (isWell: boolean): never => process.exit(isWell ? 0 : 1);

const program = new Command('test/soak/cli.ts').description(
  'Sends recordings and archives made to break a render host through it, and prints what they come to.',
);

program
  .command('archives')
  .description('every hostile archive, with how long it takes')
  .action(async () => end(await runArchives(say)));

program
  .command('demos')
  .description('crafted recordings, and ones changed at random')
  .option('--mutated <count>', 'how many are changed at random', number, 1000)
  .option('--seed <number>', 'repeats an earlier run', number, 1)
  .option('--max-minutes <number>', 'stop after so long', number, 60)
  .option('--no-crafted', 'leave the crafted ones out')
  .action(async (options: { mutated: number; seed: number; maxMinutes: number; crafted: boolean }) =>
    end(await runDemos({ ...options, say })),
  );

await program.parseAsync();
