import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRadarCapture } from '#render-host/capture/radar/radar-capture.ts';
import { encodeClip } from '#render-host/encode/encode-clip.ts';
import { findFfmpeg } from '#render-host/encode/ffmpeg.ts';
import type { FrameSource } from '#render-host/frames/frame-source.ts';
import type { Match } from '#render-host/match/match.ts';
import { parseDemo } from '#render-host/match/parse-demo.ts';
import { planShots } from '#render-host/plan/plan-shots.ts';
import { unpackSample } from '#render-host/sample-demo.ts';
import { finishSound } from '#render-host/sound/finish-sound.ts';
import type { CaptureOptions } from '#scene/frames/clip-clock.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { MACHINE, median, numbersOf, say } from './load.ts';

/**
 * Measures how much of the encoder's speed is left with drawing and sound: frames a second of drawing alone, of the
 * encoder alone (the same frames and sound, made before), and of the whole pipeline; the share of the sound; bytes of a
 * second of clip; the same pipeline at 9:16, with as many pixels; and the peak memory of the host's process, on
 * Linux also of the encoder, and of both at one moment.
 *
 *     npx node tools/bench/render.bench.ts [--height 1080] [--fps 30] [--runs 3] [--shots MOST]
 */
const { height, fps, runs: RUNS, shots: MOST } = numbersOf({ height: 1080, fps: 30, runs: 3, shots: 100 });
const options: CaptureOptions = {
  fps,
  width: Math.round((height * 16) / 9),
  height,
  xray: false,
  onlyDeathnotices: false,
  ownKillfeed: false,
  damageTicker: true,
};
const folder = await mkdtemp(join(tmpdir(), 'tickreel-bench-'));
const outPath = join(folder, 'clip.mp4');
const never = new AbortController().signal;
const ffmpeg = await findFfmpeg(process.env);
const { match, shots } = await sampleClip();
const capture = createRadarCapture({ sound: true });
/** With as many pixels. May take at most 1.15 times as long. */
const tall: CaptureOptions = { ...options, width: height, height: options.width, onlyDeathnotices: true };
const whole = { fps: [] as number[], sound: [] as number[], bytes: 0 };
const runs = { drawing: [] as number[], encoder: [] as number[], wide: [] as number[], tall: [] as number[] };
const memory = { host: 0, encoder: 0, both: 0 };
// First, before frames are held in memory.
await renderWhole(noteMemory);
memory.host = process.resourceUsage().maxRSS / 1024;
const { source, sound } = await captureAll();

/** Returns the sample demo's match, and the shots of the player with the most kills. */
async function sampleClip(): Promise<{ match: Match; shots: readonly Shot[] }> {
  const demoPath = join(folder, 'sample.dem');
  await unpackSample(demoPath);
  const parsed = await parseDemo({ demoPath, workDir: folder, signal: never });
  if (!parsed.ok) throw new Error(parsed.detail);
  const kills = (index: number): number => parsed.match.kills.filter(({ attacker }) => attacker === index).length;
  const [best] = parsed.match.players
    .map((player, index) => ({ ...player, kills: kills(index) }))
    .sort((a, b) => b.kills - a.kills);
  const steam64Id = best?.steamId ?? '';
  const planned = planShots(parsed.match, {
    mode: 'round',
    steam64Id,
    round: null,
    preKillPadding: 3,
    postKillPadding: 2,
    pov: 'killer',
    mergeGap: 0,
    killSlowdown: null,
  });
  if (!planned.ok) throw new Error(planned.detail);
  return { match: parsed.match, shots: planned.shots.slice(0, MOST) };
}

async function captureAll(picture = options): Promise<{ source: FrameSource; sound: string | null }> {
  const request = { match, shots, options: picture, demoPath: '', workDir: folder, signal: never };
  const captured = await capture({ ...request, onProgress: () => {} });
  if (!captured.ok) throw new Error(captured.detail);
  const seconds = captured.source.frameCount / options.fps;
  const parts = { sound: captured.sound, music: null, before: 0, seconds };
  return { source: captured.source, sound: await finishSound({ ffmpeg, ...parts, workDir: folder, signal: never }) };
}

async function renderWhole(onFrame = () => {}): Promise<void> {
  const start = performance.now();
  const captured = await captureAll();
  const sound = performance.now();
  whole.bytes = await encode(captured.source, captured.sound, onFrame);
  const all = performance.now() - start;
  whole.fps.push((captured.source.frameCount * 1000) / all);
  whole.sound.push((sound - start) / all);
}

/** Bytes of frames in memory while the encoder runs alone: a part of the real clip, played back and forth. */
const HELD_BYTES = 750e6;

async function heldFrames(): Promise<Uint8Array[]> {
  const held: Uint8Array[] = [];
  const most = Math.floor(HELD_BYTES / (options.width * height * 4));
  const from = Math.max(0, Math.floor((source.frameCount - most) / 2));
  let index = 0;
  for await (const frame of source.frames(never)) {
    if (index >= from) held.push(frame.slice());
    if (held.length === most) break;
    index++;
  }
  return held;
}

function replayed(held: readonly Uint8Array[]): FrameSource {
  const period = Math.max(held.length * 2 - 2, 1);
  const frame = (index: number): Uint8Array => {
    const at = index % period;
    const pixels = held[at < held.length ? at : period - at];
    if (pixels === undefined) throw new RangeError(`no frame ${index}`);
    return pixels;
  };
  return {
    frameCount: source.frameCount,
    async *frames() {
      for (let index = 0; index < source.frameCount; index++) yield frame(index);
    },
    frame: async (index) => frame(index),
  };
}

/** Returns the frames a second of the whole pipeline for a picture without the HUD, which other shapes lack. */
async function renderShape(picture: CaptureOptions): Promise<number> {
  const start = performance.now();
  const captured = await captureAll(picture);
  await encode(captured.source, captured.sound, undefined, picture);
  return perSecond(start);
}

async function drawAlone(): Promise<number> {
  const start = performance.now();
  for await (const _ of source.frames(never));
  return perSecond(start);
}

/** Returns the size of the file in bytes. */
async function encode(
  frames: FrameSource,
  sound: string | null,
  onProgress = () => {},
  { width, height } = options,
): Promise<number> {
  const input = { ffmpeg, source: frames, sound, width, height, fps, outPath, signal: never };
  const result = await encodeClip({ ...input, onProgress });
  if (!result.ok) throw new Error(result.detail);
  return result.bytes;
}

function noteMemory(): void {
  if (process.platform !== 'linux') return;
  const megabytes = (id: string): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ');
  const encoder = children.filter((id) => id !== '').reduce((sum, id) => sum + megabytes(id), 0);
  memory.encoder = Math.max(memory.encoder, encoder);
  memory.both = Math.max(memory.both, megabytes('self') + encoder);
}

async function encodeAlone(frames: FrameSource): Promise<number> {
  const start = performance.now();
  await encode(frames, sound);
  return perSecond(start);
}

function perSecond(start: number): number {
  return (source.frameCount * 1000) / (performance.now() - start);
}

const held = await heldFrames();
for (let run = 0; run < RUNS; run++) {
  runs.drawing.push(await drawAlone());
  runs.encoder.push(await encodeAlone(replayed(held)));
  await renderWhole();
  runs.wide.push(await renderShape({ ...options, onlyDeathnotices: true }));
  runs.tall.push(await renderShape(tall));
}
await rm(folder, { recursive: true, force: true });

say(`${MACHINE}; ${ffmpeg.version}, ${ffmpeg.encoder.name}`);
say(`${options.width}×${height} at ${fps} fps, ${source.frameCount} frames; median of ${RUNS} runs`);
console.table({
  'drawing alone': { 'frames/s': round1(median(runs.drawing)) },
  'encoder alone': { 'frames/s': round1(median(runs.encoder)) },
  'whole pipeline': { 'frames/s': round1(median(whole.fps)) },
});
say(`time at 9:16 / at 16:9: ${(median(runs.wide) / median(runs.tall)).toFixed(2)}`);
const seconds = source.frameCount / options.fps;
say(`pipeline / encoder: ${(median(whole.fps) / median(runs.encoder)).toFixed(2)}`);
say(`sound: ${(median(whole.sound) * 100).toFixed(1)} % of the pipeline`);
say(`a second of clip: ${Math.round(whole.bytes / seconds / 1000)} kB`);
const [ofHost, ofEncoder, ofBoth] = [memory.host, memory.encoder, memory.both].map(Math.round);
say(`the host's process: ${ofHost} MB at most; the encoder's: ${ofEncoder}; at one moment: ${ofBoth}`);

function round1(value: number): number {
  return Math.round(value * 10) / 10;
}
