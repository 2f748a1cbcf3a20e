import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { decompressDemo } from '#render-host/decompress/decompress-demo.ts';
import { BOMB_BZ2, zip } from '../packages/render-host/decompress/archives.ts';
import { hostileArchives } from '../packages/render-host/decompress/hostile-archives.ts';

const STEP_MS = 20;

/** Measures how late timers of this process fire, and so its heartbeats. In milliseconds. */
export function watchLateness(): { stop(): number } {
  let expected = performance.now() + STEP_MS;
  let latest = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    latest = Math.max(latest, now - expected);
    expected = now + STEP_MS;
  }, STEP_MS);
  return {
    stop() {
      clearInterval(timer);
      return latest;
    },
  };
}

const TIMEOUT_MS = 10_000;

/** Unpacks every hostile archive, and aborts the work on one of each format. Prints the durations. */
export async function runArchives(say: (line: string) => void): Promise<boolean> {
  const rows = [];
  for (const { what, make, end } of hostileArchives()) {
    const content = make();
    const { ms, code, late } = await unpack(content);
    const isRight = end === 'decompress_failed' ? code === end : code === 'ok';
    rows.push({ what, ms, late, isRight });
    say(
      `| ${what.padEnd(52)} | ${String(content.length).padStart(9)} | ${code.padEnd(17)} | ${ms.toFixed(0).padStart(6)} |`,
    );
  }
  const slowest = Math.max(...rows.map(({ ms }) => ms));
  const wrong = rows.filter(({ ms, isRight }) => !isRight || ms > TIMEOUT_MS + 1000);
  const latest = Math.max(...rows.map(({ late }) => late));
  say(`${rows.length} archives: ${wrong.length} wrong or over their limit, the slowest ${slowest.toFixed(0)} ms`);
  say(`timers late by ${latest.toFixed(0)} ms at most`);
  let isPrompt = true;
  for (const [format, content] of LONG) {
    const ms = await stopAmid(content);
    isPrompt &&= ms <= 100;
    say(`${format}: stopped ${ms.toFixed(0)} ms after its signal`);
  }
  return wrong.length === 0 && isPrompt;
}

async function unpack(content: Buffer) {
  const { path, workDir } = await place(content);
  const lateness = watchLateness();
  const begun = performance.now();
  const limits = { timeoutMs: TIMEOUT_MS };
  const result = await decompressDemo({ path, workDir, signal: new AbortController().signal, limits });
  const ms = performance.now() - begun;
  const late = lateness.stop();
  await rm(workDir, { recursive: true });
  return { ms, late, code: result.ok ? 'ok' : result.code };
}

const zeros = Buffer.alloc(400 << 20);
const LONG: readonly (readonly [string, Buffer])[] = [
  ['.gz', gzipSync(zeros, { level: 1 })],
  ['.bz2', Buffer.alloc(BOMB_BZ2.length * 20, BOMB_BZ2)],
  ['.zst', zstdCompressSync(zeros)],
  ['.zip', zip({ name: 'match.dem', content: zeros })],
];

/** Returns the milliseconds from the signal to the end. */
async function stopAmid(content: Buffer): Promise<number> {
  const { path, workDir } = await place(content);
  const stop = new AbortController();
  let stoppedAt = 0;
  const out = join(workDir, 'unpacked');
  const watch = setInterval(async () => {
    const size = (await stat(out).catch(() => null))?.size ?? 0;
    if (size === 0 || stop.signal.aborted) return;
    stoppedAt = performance.now();
    stop.abort(new Error('stopped'));
  }, 1);
  const limits = { maxRatio: 1e9, timeoutMs: 60_000 };
  await decompressDemo({ path, workDir, signal: stop.signal, limits }).catch(() => null);
  clearInterval(watch);
  const ms = performance.now() - stoppedAt;
  await rm(workDir, { recursive: true });
  return ms;
}

async function place(content: Buffer) {
  const workDir = await mkdtemp(join(tmpdir(), 'hostile-'));
  const path = join(workDir, 'download');
  await writeFile(path, content);
  return { path, workDir };
}
