import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { openAsBlob } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTickreel } from '#client/index.ts';
import { createSampleMatch, type SampleOptions, type TrueKill, truthOf, writeDemoFile } from '#demo-writer/index.ts';
import { TRACK_PRESENT } from '#scene/match/match.ts';
import { freePort } from '#stack/service.ts';
import { loadChunks, matchOf, openTracks } from '#tracks/file.ts';
import { createStackProcess, type HostProcess, startHost, watchMemory } from './processes.ts';

const modules = createRequire(import.meta.url);
/** The most memory of the process that reads the demo, in MB. */
const READER_MB = 300;

const ticksOf = (list: readonly { readonly tick: number }[]) => list.map(({ tick }) => tick);
const startsOf = (list: readonly { readonly startTick: number }[]) => list.map(({ startTick }) => startTick);
const kb = (list: readonly { readonly bytes: number }[]) => list.reduce((sum, { bytes }) => sum + bytes / 1000, 0);
/** The first half of the players are one team. */
const isCounted = ({ warmup, attacker, victim }: TrueKill) =>
  !warmup && attacker !== null && attacker < 5 !== victim < 5;

/**
 * Puts the demo of a whole match, as heavy as a real one, through the service: upload, inspection, best moments, a clip
 * of the last round but two, the replay and its tracks. Prints the time of each step, the peak memory of each process
 * so far, and the size of tracks. Throws if anything differs from the match. Reads /proc, so it needs Linux.
 */
export async function playWholeMatch(
  { fps, ...options }: SampleOptions & { readonly fps?: number },
  say: (line: string) => void,
): Promise<void> {
  const match = createSampleMatch(options);
  const { rounds, kills, lastTick } = truthOf(match);
  const folder = await mkdtemp(join(tmpdir(), 'tickreel-whole-'));
  const port = await freePort(0);
  const stack = createStackProcess({ dataDir: join(folder, 'data'), port, leaseSeconds: null });
  const memory = watchMemory();
  let host: HostProcess | null = null;
  let begun = performance.now();
  const done = (what: string): void => {
    say(`${((performance.now() - begun) / 1000).toFixed(1)} s: ${what}`);
    if (memory.peaks.size > 0) say(`  MB: ${[...memory.peaks].map((peak) => peak.join(' ')).join(', ')}`);
    begun = performance.now();
  };
  try {
    const path = join(folder, 'match.dem');
    const { sizeBytes, ticks } = await writeDemoFile(match, path, { isHeavy: true });
    done(`${rounds.length} rounds written, ${kills.length} kills, ${ticks} ticks, ${sizeBytes} bytes`);
    const { metered_key: apiKey, host_token } = await stack.start();
    const baseUrl = `http://127.0.0.1:${port}`;
    host = startHost({
      TICKREEL_URL: baseUrl,
      TICKREEL_HOST_TOKEN: host_token,
      TICKREEL_WORK_DIR: join(folder, 'host'),
      FFMPEG_PATH: modules('@ffmpeg-installer/ffmpeg').path,
    });
    const client = createTickreel({ baseUrl, apiKey });
    const { demo_url } = await client.uploads.send({ name: 'match.dem', content: await openAsBlob(path) });
    done('service started, demo uploaded');

    const { id, replay_url, match: found } = await client.demos.inspect(demo_url, { replay: true });
    done(`inspected, ${JSON.stringify(found).length} bytes`);
    const seen = found?.rounds.map((one) => [one.round, one.start_tick, one.end_tick, one.winner, one.score]);
    const played = rounds.map((one, at) => [at + 1, one.startTick, one.endTick, one.winner, one.score]);
    assert.deepEqual(seen, played);
    assert.deepEqual(ticksOf(found?.kills ?? []), ticksOf(kills.filter(isCounted)));
    const { match: chosen } = await client.demos.get(id, { filter: { best_of: 5 } });
    const best = chosen?.highlights.map(({ kind, round }) => `${kind} of round ${round}`) ?? [];
    assert(chosen?.best_of?.timeline?.length && best.length > 1);
    done(`best moments: ${best.slice(0, 5).join(', ')}`);

    const round = Math.max(1, rounds.length - 2);
    const [from = 0, to = Infinity] = startsOf(rounds.slice(round - 1));
    const inRound = kills.filter((kill) => isCounted(kill) && kill.tick >= from && kill.tick < to);
    const byKiller = [...Map.groupBy(inRound, ({ attacker }) => attacker).values()];
    const [own = []] = byKiller.sort((a, b) => b.length - a.length);
    const request = { demo_url, fps, round, steam64_id: match.players[own[0]?.attacker ?? 0]?.steamId ?? '' };
    const { seconds, shots } = await client.call('planClip', { body: request });
    const shown = shots.flatMap((shot) => (shot.round === round ? shot.kill_ticks : []));
    assert.deepEqual(shown, ticksOf(own));
    const clip = await client.clips.render(request);
    done(`clip of round ${round}: ${own.length} kills, ${seconds} s, ${clip.resolution} lines at ${clip.fps} fps`);
    const args = ['-v', 'error', '-of', 'json', '-show_format', client.clips.urls(clip.id).video];
    const { stdout } = await promisify(execFile)(modules('@ffprobe-installer/ffprobe').path, args);
    assert(Math.abs(JSON.parse(stdout).format.duration - seconds) < 0.2, stdout);

    assert.equal((await fetch(`${replay_url}`)).status, 200);
    const file = await openTracks(async (start, length) => {
      const headers = { Range: `bytes=${start}-${start + length - 1}` };
      return new Uint8Array(await (await fetch(`${replay_url}/tracks`, { headers })).arrayBuffer());
    });
    assert.deepEqual([startsOf(file.rounds), ticksOf(file.kills)], [startsOf(rounds), ticksOf(kills)]);
    const sizes: number[] = [];
    for (const [at, { startTick }] of rounds.entries()) {
      const endTick = rounds[at + 1]?.startTick ?? lastTick + 1;
      const { tracks } = matchOf(file, await loadChunks(file, { startTick, endTick }));
      const areAll = tracks.flags.every((flags) => (flags & TRACK_PRESENT) !== 0);
      assert(areAll && tracks.firstTick <= startTick && tracks.firstTick + tracks.length >= endTick, `${at + 1}`);
      sizes.push(kb(file.chunks.filter((chunk) => chunk.startTick >= startTick && chunk.startTick < endTick)));
    }
    const all = kb([{ bytes: file.headBytes }, ...file.chunks]);
    done(`tracks: ${all.toFixed()} kB in all, by round ${sizes.map((size) => size.toFixed()).join(' ')}`);
  } finally {
    memory.stop();
    await host?.end('SIGTERM');
    await stack.end('SIGTERM');
    await rm(folder, { recursive: true });
  }
  const reader = memory.peaks.get('parse-child.ts');
  assert(reader !== undefined && reader < READER_MB, `the reader took ${reader} MB`);
}
