import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { openAsBlob, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTickreel, type Demo } from '#client/index.ts';
import { createSampleMatch, type SampleOptions, type Truth, truthOf, writeDemoFile } from '#demo-writer/index.ts';
import { TRACK_PRESENT } from '#scene/match/match.ts';
import { freePort } from '#stack/service.ts';
import { loadChunks, matchOf, openTracks, type TracksFile } from '#tracks/file.ts';
import { createStackProcess, descendants, type HostProcess, startHost } from './processes.ts';

const { resolve: find } = createRequire(import.meta.url);
const installed = (name: string): string => createRequire(find(name))(name).path;
/** The process that reads a demo, and its most memory in MB. */
const READER = { program: 'match/parse-child.ts', most: 300 };
const BEST = 5;

/**
 * Puts the demo of a whole match, as heavy as a real one, through the service: upload, inspection, best moments, a clip
 * of the last round but two, the replay and its tracks. Prints the time of each step, the bytes of tracks and the peak
 * memory of each process. Throws if anything differs from the match. Reads /proc, so it needs Linux.
 */
export async function playWholeMatch(
  { fps, ...options }: SampleOptions & { readonly fps?: number },
  say: (line: string) => void,
): Promise<void> {
  const match = createSampleMatch(options);
  const truth = truthOf(match);
  const folder = await mkdtemp(join(tmpdir(), 'tickreel-whole-'));
  const port = await freePort(0);
  const stack = createStackProcess({ dataDir: join(folder, 'data'), port, leaseSeconds: null });
  const memory = watchMemory();
  let host: HostProcess | null = null;
  async function step<T>(what: string, work: () => Promise<T>, about: (result: T) => string): Promise<T> {
    const begun = performance.now();
    const result = await work();
    const seconds = (performance.now() - begun) / 1000;
    say(`${what}: ${seconds.toFixed(1)} s; ${about(result)}`);
    say(`  peak memory in MB: ${memory.risen()}`);
    return result;
  }
  try {
    const path = join(folder, 'match.dem');
    const isHeavy = true;
    const about = ({ sizeBytes, ticks }: { readonly sizeBytes: number; readonly ticks: number }) =>
      `${(sizeBytes / 1e6).toFixed(0)} MB, ${ticks} ticks, ${truth.rounds.length} rounds, ${truth.kills.length} kills`;
    await step('demo written', () => writeDemoFile(match, path, { isHeavy }), about);
    const { metered_key: apiKey, host_token } = await stack.start();
    const baseUrl = `http://127.0.0.1:${port}`;
    host = startHost({
      TICKREEL_URL: baseUrl,
      TICKREEL_HOST_TOKEN: host_token,
      TICKREEL_WORK_DIR: join(folder, 'host'),
      FFMPEG_PATH: installed('@ffmpeg-installer/ffmpeg'),
    });
    const client = createTickreel({ baseUrl, apiKey });
    const content = await openAsBlob(path);
    const send = () => client.uploads.send({ name: 'match.dem', content });
    const { demo_url } = await step('uploaded', send, ({ bytes }) => `${bytes} bytes`);
    const inspect = () => client.demos.inspect(demo_url, { replay: true });
    const demo = await step(
      'inspected',
      inspect,
      ({ state, match }) => `${state}, ${JSON.stringify(match).length} bytes`,
    );
    expectRounds(demo, truth);
    const best = () => client.demos.get(demo.id, { filter: { best_of: BEST } });
    const nameOf = ({ kind, round }: { readonly kind: string; readonly round: number }) => `${kind} of round ${round}`;
    const { match: chosen } = await step('best moments', best, ({ match }) =>
      (match?.highlights.slice(0, BEST) ?? []).map(nameOf).join(', '),
    );
    assert(chosen?.best_of?.timeline?.length);

    const { ticks, ...moment } = busiest(match.players, truth, Math.max(1, truth.rounds.length - 2));
    const request = { demo_url, fps, ...moment };
    const plan = await client.call('planClip', { body: request });
    const planned = plan.shots.flatMap(({ round, kill_ticks }) => kill_ticks.map((tick) => [round, tick]));
    assert.deepEqual(
      planned,
      ticks.map((tick) => [moment.round, tick]),
    );
    const render = () => client.clips.render(request);
    const clip = await step('clip made', render, ({ fps, resolution, size }) =>
      [
        `round ${moment.round}, ${ticks.length} kills, ${plan.seconds} s`,
        `${resolution} lines, ${fps} fps, ${size} bytes`,
      ].join(', '),
    );
    const args = ['-v', 'error', '-of', 'json', '-show_format', '-show_streams', client.clips.urls(clip.id).video];
    const probed = JSON.parse((await promisify(execFile)(installed('@ffprobe-installer/ffprobe'), args)).stdout);
    assert.deepEqual(
      probed.streams.map(({ codec_name }: { codec_name: string }) => codec_name),
      ['h264', 'aac'],
    );
    assert(Math.abs(probed.format.duration - plan.seconds) < 0.2, `${probed.format.duration} s of ${plan.seconds}`);

    assert.equal((await fetch(`${demo.replay_url}`)).status, 200);
    const open = () =>
      openTracks(async (start, length) => {
        const range = `bytes=${start}-${start + length - 1}`;
        return new Uint8Array(
          await (await fetch(`${demo.replay_url}/tracks`, { headers: { Range: range } })).arrayBuffer(),
        );
      });
    const file = await step('replay opened', open, ({ rounds }) => `${rounds.length} rounds`);
    await step(
      'tracks of all rounds',
      () => expectTracks(file, truth),
      (lines) => lines,
    );
  } finally {
    memory.stop();
    await host?.end('SIGTERM');
    await stack.end('SIGTERM');
    await rm(folder, { recursive: true });
  }
  const reader = memory.peaks.get(READER.program);
  assert(reader !== undefined && reader < READER.most, `the reader took ${reader} MB`);
}

/** Compares rounds and kills that an inspection found with the true ones. */
function expectRounds({ match }: Demo, { rounds, kills }: Truth): void {
  const found = match?.rounds.map(({ round, start_tick, end_tick, winner, score }) => [
    round,
    start_tick,
    end_tick,
    winner,
    score,
  ]);
  assert.deepEqual(
    found,
    rounds.map(({ startTick, endTick, winner, score }, at) => [at + 1, startTick, endTick, winner, score]),
  );
  const counted = kills.filter(({ warmup, attacker, victim }) => !warmup && areEnemies(attacker, victim));
  assert.deepEqual(
    match?.kills.map(({ tick }) => tick),
    counted.map(({ tick }) => tick),
  );
}

/** The first half of the players are one team. */
const areEnemies = (attacker: number | null, victim: number) => attacker !== null && attacker < 5 !== victim < 5;

/** Returns the player with the most kills in a round, and the ticks of these. */
function busiest(players: readonly { readonly steamId: string }[], { rounds, kills }: Truth, round: number) {
  const [from = 0, to = Infinity] = rounds.slice(round - 1, round + 1).map(({ startTick }) => startTick);
  const own = kills.filter(({ tick, attacker, victim }) => tick >= from && tick < to && areEnemies(attacker, victim));
  const [[attacker, most] = [null, []]] = [...Map.groupBy(own, ({ attacker }) => attacker)].sort(
    ([, a], [, b]) => b.length - a.length,
  );
  return { steam64_id: players[attacker ?? 0]?.steamId ?? '', round, ticks: most.map(({ tick }) => tick) };
}

/** Loads the tracks round by round: all players are there at each tick. Returns their bytes. */
async function expectTracks(file: TracksFile, { rounds, kills, lastTick }: Truth): Promise<string> {
  assert.deepEqual(
    file.rounds.map(({ startTick }) => startTick),
    rounds.map(({ startTick }) => startTick),
  );
  assert.deepEqual(
    file.kills.map(({ tick }) => tick),
    kills.map(({ tick }) => tick),
  );
  const sizes: number[] = [];
  for (const [at, { startTick }] of rounds.entries()) {
    const endTick = rounds[at + 1]?.startTick ?? lastTick + 1;
    const { tracks, kills: _ } = matchOf(file, await loadChunks(file, { startTick, endTick }));
    assert(tracks.firstTick <= startTick && tracks.firstTick + tracks.length >= endTick, `round ${at + 1}`);
    assert(
      tracks.flags.every((flags) => (flags & TRACK_PRESENT) !== 0),
      `round ${at + 1}`,
    );
    const own = file.chunks.filter((chunk) => chunk.startTick >= startTick && chunk.startTick < endTick);
    sizes.push(own.reduce((sum, { bytes }) => sum + bytes, 0));
  }
  const all = file.chunks.reduce((sum, { bytes }) => sum + bytes, file.headBytes);
  const kb = (bytes: number) => `${Math.round(bytes / 1000)}`;
  return `${kb(all)} kB in all, head ${kb(file.headBytes)}, by round ${sizes.map(kb).join(' ')}`;
}

/** Watches the peak memory of this process and its descendants, in MB by the program that each runs. */
function watchMemory() {
  const peaks = new Map<string, number>();
  let shown = new Map<string, number>();
  const look = () => {
    for (const pid of ['self', ...descendants()]) {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        const program = words.find((word) => word.endsWith('.ts')) ?? words[0] ?? '';
        const name = pid === 'self' ? 'this process' : program.split('/').slice(-2).join('/');
        if (program === '') continue;
        const kib = Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
        peaks.set(name, Math.max(peaks.get(name) ?? 0, Math.round((kib * 1024) / 1e6)));
      } catch {
        // It has ended.
      }
    }
  };
  const timer = setInterval(look, 100);
  return {
    /** Returns the peaks that have risen since the last call. */
    risen() {
      look();
      const risen = [...peaks].filter(([name, most]) => most > (shown.get(name) ?? 0));
      shown = new Map(peaks);
      return risen.map(([name, most]) => `${name} ${most}`).join(', ');
    },
    peaks,
    stop: () => clearInterval(timer),
  };
}
