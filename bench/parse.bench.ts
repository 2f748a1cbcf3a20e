import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { createSampleMatch, writeDemoFile } from '../demo-writer/index.ts';
import { createRadarCapture } from '../render-host/capture/radar/radar-capture.ts';
import { findFfmpeg } from '../render-host/encode/ffmpeg.ts';
import type { CaptureOptions } from '../render-host/frames/frame-source.ts';
import { isEnemyKill } from '../render-host/match/kills.ts';
import { parseDemo } from '../render-host/match/parse-demo.ts';
import { readMatch } from '../render-host/match/read-match.ts';
import { planShots } from '../render-host/plan/plan-shots.ts';

/**
 * How long a demo takes to read, and how much memory, next to `@laihoe/demoparser2` (Rust) asked for the same: rounds,
 * kills, hits, shots, and where each player is at each tick. Each run is a process of its own, start included in
 * neither. Then, how long it takes from the demo on disk to the first frame of a clip from round 3.
 *
 * The match is written as heavy as a real one (some 8 MB a round, 230 MB for 30), unless `--light` asks for what the
 * sample weighs.
 *
 *     npx node bench/parse.bench.ts [--rounds 30] [--runs 3] [--light] [--demo FILE]
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '30' },
    runs: { type: 'string', default: '3' },
    demo: { type: 'string' },
    light: { type: 'boolean', default: false },
    reader: { type: 'string' },
  },
});

interface Run {
  readonly seconds: number;
  readonly megabytes: number;
}

/** The part of the native parser that is used here. */
interface Demoparser {
  parseEvent(path: string, name: string, playerFields: string[], otherFields: string[]): unknown;
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
    const demoparser = loadDemoparser();
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
  if (ours && theirs) {
    console.log(`seconds, ${ours.name} / ${theirs.name}: ${(ours.seconds / theirs.seconds).toFixed(2)}`);
    console.log(`memory, ${ours.name} / ${theirs.name}: ${(ours.peak / theirs.peak).toFixed(2)}`);
  }
  await compareRounds(path);
  await reportFirstFrame(path);
}

/** Whether both find the same ends of rounds, winners and numbers. */
async function compareRounds(path: string): Promise<void> {
  const result = await readMatch(path);
  if (!result.ok) throw new Error(result.detail);
  const ours = result.match.rounds.filter(({ endTick }) => endTick !== null);
  const found = loadDemoparser().parseEvent(path, 'round_end', [], ['total_rounds_played']) as RoundEnd[];
  const theirs = found.filter(({ winner }) => winner !== null);
  const agreed = ours.filter(({ number, endTick, winner }) =>
    theirs.some((end) => end.tick === endTick && end.winner === winner && end.total_rounds_played === number),
  );
  console.log(`rounds: ${ours.length} here, ${theirs.length} there, ${agreed.length} the same`);
}

interface RoundEnd {
  readonly tick: number;
  readonly winner: string | null;
  readonly total_rounds_played: number;
}

function loadDemoparser(): Demoparser {
  return createRequire(import.meta.url)('@laihoe/demoparser2') as Demoparser;
}

/** The round to clip. */
const ROUND = 3;
const CLIP: CaptureOptions = {
  ...{ fps: 30, width: 1920, height: 1080 },
  ...{ xray: false, onlyDeathnotices: true, ownKillfeed: false, damageTicker: false },
};

/** From the demo on disk to the first frame, through the same steps as a job. */
async function reportFirstFrame(demoPath: string): Promise<void> {
  const workDir = await mkdtemp(join(tmpdir(), 'tickreel-bench-'));
  const { signal } = new AbortController();
  try {
    const start = performance.now();
    const parsed = await parseDemo({ demoPath, workDir, signal });
    if (!parsed.ok) throw new Error(parsed.detail);
    const parsedAfter = (performance.now() - start) / 1000;
    const killer = parsed.match.kills.find((kill) => kill.round === ROUND && isEnemyKill(kill))?.attacker;
    const steam64Id = parsed.match.players[killer ?? -1]?.steamId;
    if (steam64Id === undefined) {
      console.log(`no clip: there are no kills in round ${ROUND}`);
      return;
    }
    const selection = { mode: 'round', steam64Id, round: ROUND, preKillPadding: 3, postKillPadding: 2 } as const;
    const planned = planShots(parsed.match, selection);
    if (!planned.ok) throw new Error(planned.detail);
    const { shots } = planned;
    const captured = await createRadarCapture({ ffmpeg: await findFfmpeg(process.env), sound: true })({
      match: parsed.match,
      shots,
      options: CLIP,
      demoPath,
      workDir,
      signal,
      onProgress,
    });
    if (!captured.ok) throw new Error(captured.detail);
    for await (const _ of captured.source.frames(signal)) break;
    const seconds = (performance.now() - start) / 1000;
    console.log(
      `first frame of a clip from round ${ROUND}: ${seconds.toFixed(2)} s, parsed after ${parsedAfter.toFixed(2)} s`,
    );
  } finally {
    await rm(workDir, { recursive: true });
  }
}

function onProgress(): void {}

const reader = values.reader === undefined ? undefined : READERS[values.reader];
if (reader !== undefined && values.demo !== undefined) {
  await readOnce(reader, values.demo);
} else if (values.demo !== undefined && existsSync(values.demo)) {
  await compare(values.demo);
} else {
  const folder = await mkdtemp(join(tmpdir(), 'tickreel-bench-'));
  try {
    const path = join(folder, 'match.dem');
    const begun = performance.now();
    const isHeavy = !values.light;
    const { sizeBytes, ticks } = await writeDemoFile(createSampleMatch({ rounds: Number(values.rounds) }), path, {
      isHeavy,
    });
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    console.log(`${values.rounds} rounds written in ${seconds} s: ${Math.round(sizeBytes / ticks)} bytes a tick`);
    await compare(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}
