import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { createSampleMatch, writeDemoFile } from '../demo-writer/index.ts';
import { readMatch } from '../render-host/match/read-match.ts';

/**
 * How long a demo takes to read, and how much memory, next to `@laihoe/demoparser2` (Rust) asked for the same: rounds,
 * kills, hits, shots, and where each player is at each tick. Each run is a process of its own, start included in
 * neither.
 *
 *     npx node bench/parse.bench.ts [--rounds 30] [--runs 3] [--demo FILE]
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '30' },
    runs: { type: 'string', default: '3' },
    demo: { type: 'string' },
    reader: { type: 'string' },
  },
});

interface Run {
  readonly seconds: number;
  readonly megabytes: number;
}

/** The part of the native parser that is used here. */
interface Demoparser {
  parseEvents(path: string, names: string[], playerFields: string[], otherFields: string[]): unknown[];
  parseTicks(path: string, fields: string[], ticks: null, players: null, columns: boolean): unknown;
}

const EVENTS = [
  'round_start',
  'round_freeze_end',
  'round_end',
  'round_officially_ended',
  'player_death',
  'player_hurt',
];

const READERS: Readonly<Record<string, (path: string) => Promise<void>>> = {
  async tickreel(path) {
    const result = await readMatch(path);
    if (!result.ok) throw new Error(result.detail);
  },
  async demoparser2(path) {
    const demoparser = createRequire(import.meta.url)('@laihoe/demoparser2') as Demoparser;
    demoparser.parseEvents(path, [...EVENTS, 'weapon_fire'], [], []);
    // As columns: an object for each of the two million rows would take five times as long, and 5 GB.
    const fields = ['X', 'Y', 'Z', 'yaw', 'pitch', 'health', 'team_num', 'is_alive'];
    demoparser.parseTicks(path, fields, null, null, true);
  },
};

/** In the child: reads once and prints what it took. */
async function readOnce(read: (path: string) => Promise<void>, path: string): Promise<void> {
  const start = performance.now();
  await read(path);
  const run: Run = {
    seconds: (performance.now() - start) / 1000,
    megabytes: process.resourceUsage().maxRSS / 1024,
  };
  process.stdout.write(JSON.stringify(run));
}

async function measure(reader: string, path: string): Promise<Run> {
  const args = [fileURLToPath(import.meta.url), '--reader', reader, '--demo', path];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as Run;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

async function compare(path: string): Promise<void> {
  const runs = new Map(Object.keys(READERS).map((name) => [name, [] as Run[]]));
  for (let run = 0; run < Number(values.runs); run++) {
    for (const [name, done] of runs) done.push(await measure(name, path));
  }
  const size = (await stat(path)).size / 1024 ** 2;
  const [cpu] = cpus();
  console.log(`${cpu?.model ?? 'unknown CPU'}, ${cpus().length} cores; Node ${process.version}`);
  console.log(`${size.toFixed(1)} MB demo; median of ${values.runs} runs`);
  const rows = [...runs].map(([name, done]) => {
    const seconds = median(done.map((run) => run.seconds));
    const peak = Math.max(...done.map((run) => run.megabytes));
    return { name, seconds, peak };
  });
  console.table(
    Object.fromEntries(
      rows.map(({ name, seconds, peak }) => [
        name,
        { seconds: seconds.toFixed(2), 'MB/s': (size / seconds).toFixed(1), 'peak MB': peak.toFixed(0) },
      ]),
    ),
  );
  const [ours, theirs] = rows;
  if (ours && theirs)
    console.log(`seconds, ${ours.name} / ${theirs.name}: ${(ours.seconds / theirs.seconds).toFixed(2)}`);
}

const reader = values.reader === undefined ? undefined : READERS[values.reader];
if (reader !== undefined && values.demo !== undefined) {
  await readOnce(reader, values.demo);
} else if (values.demo !== undefined && existsSync(values.demo)) {
  await compare(values.demo);
} else {
  const folder = await mkdtemp(join(tmpdir(), 'tickreel-bench-'));
  try {
    const path = join(folder, 'match.dem');
    await writeDemoFile(createSampleMatch({ rounds: Number(values.rounds) }), path);
    await compare(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}
