import { spawn } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { type Failure, failure } from '#domain/failure/codes.ts';
import { reasonOf } from '#domain/lib/text.ts';
import type { FrameSource } from '../frames/frame-source.ts';
import { childEnvironment, isMachineError, programEnd, rawFrames } from '../machine/program.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import { type Mp4Info, readMp4 } from './mp4-boxes.ts';

/**
 * Encodes AAC so that gunfire does not clip. ffmpeg's other coder makes its peaks up to 4 dB higher (ffmpeg 5) and is
 * slower; intensity stereo and noise shaping add up to 5 dB.
 */
export const AAC_ARGS = ['-c:a', 'aac', '-b:a', '192k', '-aac_coder', 'fast', '-aac_is', '0', '-aac_tns', '0'];

/** The most seconds between key frames: how exactly a player can seek. */
const KEY_FRAME_SECONDS = 2;
/** Frames that ffmpeg reads ahead. Its default is eight: 118 MB at 1440 lines, too much for the cache. */
const QUEUED_FRAMES = 1;

/**
 * Returns ffmpeg's arguments: raw RGBA frames on stdin, one MP4 in `outPath`. Players assume BT.709 at TV range for HD
 * video, so it is both converted to and tagged. A stream that is only tagged, or only converted, has wrong colours.
 */
function encodeArgs(input: EncodeInput): string[] {
  const { ffmpeg, source, fps, preset = 'veryfast', sound = null, outPath } = input;
  const seconds = source.frameCount / fps;
  // Players and editors work better with a silent track than without one.
  const silence = ['-f', 'lavfi', '-t', seconds.toFixed(6), '-i', 'anullsrc=r=48000:cl=stereo'];
  const track = sound === null ? silence : ['-i', sound];
  const { name, args, device = [], upload } = ffmpeg.encoder;
  const toTv = 'scale=in_range=pc:out_range=tv:out_color_matrix=bt709:flags=bilinear,format=yuv420p';
  const convert = upload === undefined ? toTv : `${toTv},${upload}`;
  const color = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'];
  return [
    ...['-hide_banner', '-loglevel', 'error', '-nostdin', '-y', ...device],
    ...['-thread_queue_size', `${QUEUED_FRAMES}`, ...rawFrames('rgba', input, fps), '-i', 'pipe:0', ...track],
    ...['-map', '0:v', '-map', '1:a', '-vf', convert, ...AAC_ARGS, '-ar', '48000'],
    ...['-c:v', name, ...args(preset)],
    ...['-g', `${Math.max(1, Math.round(fps * KEY_FRAME_SECONDS))}`, '-r', `${fps}`, ...color],
    ...['-movflags', '+faststart', '-f', 'mp4', outPath],
  ];
}

export interface EncodeInput {
  readonly ffmpeg: Ffmpeg;
  readonly source: FrameSource;
  /** The width of the source's frames in pixels; even. */
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  /** The path of a sound as long as the clip; without it the clip is silent. */
  readonly sound?: string | null;
  readonly outPath: string;
  readonly signal: AbortSignal;
  /** x264 preset; default `veryfast`. */
  readonly preset?: string;
  /** The most milliseconds between two frames, or between the last frame and the end; default two minutes. */
  readonly stallMs?: number;
  /** The largest file. Encoding stops at a larger one. */
  readonly maxBytes?: number;
  /** Called when a graphics card's encoder failed and another one starts the clip again. */
  readonly onFallback?: (why: string) => void;
  /** Called after each frame that the encoder took. */
  readonly onProgress?: (framesDone: number, frameCount: number) => void;
}

export type EncodeResult =
  | { readonly ok: true; readonly frames: number; readonly durationSeconds: number; readonly bytes: number }
  | Failure<'render_failed' | 'cs2_unavailable' | 'finalize_failed' | 'clip_too_long'>;

const STOPPED = 'the render was stopped';
/** The most time between two frames. Heartbeats continue while an encoder hangs, so only this ends it. */
const STALL_MS = 120_000;
/** How often the file's size is checked, in frames. */
const LOOK_EVERY = 30;

/**
 * Encodes all frames of a source into one MP4 (H.264 High, yuv420p, BT.709, fast start; AAC) and checks the file.
 * Frames are drawn as fast as the encoder takes them, never ahead of it. Throws nothing. Deletes the file of a failure.
 * If a graphics card's encoder fails, the software encoder makes the clip.
 *
 * Fails with `render_failed` if the source throws or ends early, or the encoder fails; with `cs2_unavailable` for
 * errors of this machine, which another attempt may avoid: a full disk, a missing file, an encoder that does not start,
 * stalls or is killed, an aborted signal; with `finalize_failed` if everything ran and the file still is not a valid
 * clip; with `clip_too_long` once the file is too large.
 */
export async function encodeClip(input: EncodeInput): Promise<EncodeResult> {
  const { encoder, fallback } = input.ffmpeg;
  const progress = onlyForward(input);
  const { result, isEncoders } = await encodeOnce(progress);
  if (result.ok || fallback === null || !isEncoders || input.signal.aborted) return result;
  input.onFallback?.(`${encoder.name}: ${result.detail}`);
  return (await encodeOnce({ ...progress, ffmpeg: { ...input.ffmpeg, encoder: fallback, fallback: null } })).result;
}

/** Makes progress never go back when a clip is encoded again. */
function onlyForward({ onProgress, ...input }: EncodeInput): EncodeInput {
  let most = 0;
  return {
    ...input,
    onProgress(done, all) {
      if (done <= most) return;
      most = done;
      onProgress?.(done, all);
    },
  };
}

/** `isEncoders`: the encoder failed, not its input, and no limit was reached. */
async function encodeOnce(input: EncodeInput): Promise<{ result: EncodeResult; isEncoders: boolean }> {
  const { ffmpeg, outPath } = input;
  if (input.signal.aborted) return { result: failure('cs2_unavailable', STOPPED), isEncoders: false };
  const child = spawn(ffmpeg.path, encodeArgs(input), {
    env: childEnvironment(),
    stdio: ['pipe', 'ignore', 'pipe'],
    windowsHide: true,
  });
  const exit = programEnd(child, 'encoder');
  const stop = new AbortController();
  const stalled = new AbortController();
  const signal = AbortSignal.any([input.signal, stop.signal, stalled.signal]);
  // The end of the encoder stops the drawing, and an aborted render ends its encoder.
  void exit.then(() => stop.abort());
  signal.addEventListener('abort', () => child.kill('SIGKILL'));
  const { stallMs = STALL_MS, maxBytes = Number.POSITIVE_INFINITY } = input;
  const stall = setTimeout(() => stalled.abort(), stallMs);
  let frames = 0;
  let drawing: EncodeResult | null = null;
  try {
    for await (const frame of input.source.frames(signal)) {
      if (!(await write(child.stdin, frame))) break;
      frames++;
      stall.refresh();
      input.onProgress?.(frames, input.source.frameCount);
      if (frames % LOOK_EVERY === 0) drawing = await outgrown(outPath, maxBytes, frames);
      if (drawing !== null) break;
    }
  } catch (error) {
    const code = isMachineError(error) ? 'cs2_unavailable' : 'render_failed';
    drawing = failure(code, `drawing failed: ${reasonOf(error)}`);
  }
  if (drawing !== null) child.kill('SIGKILL');
  child.stdin.end();
  const ended = await exit;
  clearTimeout(stall);
  let result: EncodeResult;
  if (input.signal.aborted) result = failure('cs2_unavailable', STOPPED);
  else if (stalled.signal.aborted)
    result = failure('cs2_unavailable', `no progress for ${stallMs} ms at frame ${frames}`);
  else if (drawing !== null) result = drawing;
  // The input is the same on each machine, so the encoder's own errors would come again.
  else if (ended !== null) result = failure(ended.isMachineError ? 'cs2_unavailable' : 'render_failed', ended.detail);
  else result = (await outgrown(outPath, maxBytes, frames)) ?? (await verify(input, frames));
  if (!result.ok) await rm(outPath, { force: true });
  return { result, isEncoders: drawing === null && !result.ok && result.code !== 'clip_too_long' };
}

/** Returns null for a file within its limit, and for a missing one. */
async function outgrown(path: string, maxBytes: number, frames: number): Promise<EncodeResult | null> {
  const size = (await stat(path).catch(() => null))?.size ?? 0;
  if (size <= maxBytes) return null;
  return failure('clip_too_long', `the video has ${size} bytes at frame ${frames}, more than the ${maxBytes} accepted`);
}

async function verify({ source, width, height, fps, outPath }: EncodeInput, frames: number): Promise<EncodeResult> {
  if (frames !== source.frameCount) return failure('render_failed', `${frames} of ${source.frameCount} frames drawn`);
  const unfit = (detail: string): EncodeResult => failure('finalize_failed', detail);
  let info: Mp4Info | null;
  try {
    info = await readMp4(outPath);
  } catch (error) {
    // A written file that is missing or unreadable is an error of the disk. A broken one is null.
    if (isMachineError(error)) return failure('cs2_unavailable', `the clip cannot be read back: ${error.message}`);
    info = null;
  }
  if (info === null || info.video === null) return unfit('the encoder left no complete MP4 file');
  const { video } = info;
  if (!info.fastStart) return unfit('the MP4 file does not start with its index');
  if (video.samples !== frames) return unfit(`${frames} frames drawn, ${video.samples} in the file`);
  if (video.framesPerSecond !== fps) {
    return unfit(`the file has ${video.framesPerSecond ?? 'changing'} frames a second instead of ${fps}`);
  }
  if (Math.abs(video.durationSeconds - frames / fps) > 0.5 / fps) {
    return unfit(`the file lasts ${video.durationSeconds} s instead of ${frames / fps} s`);
  }
  if (video.codec !== 'avc1' || video.width !== width || video.height !== height) {
    return unfit(`the file holds ${video.codec} ${video.width}×${video.height}`);
  }
  if (!info.hasAudio) return unfit('the file has no sound track');
  return { ok: true, frames, durationSeconds: video.durationSeconds, bytes: (await stat(outPath)).size };
}

/**
 * Writes a frame and waits until it is written, because its memory is reused. Resolves with false if the encoder no
 * longer reads.
 */
function write(stdin: Writable, frame: Uint8Array): Promise<boolean> {
  if (stdin.listenerCount('error') === 0) stdin.on('error', () => {});
  return new Promise((resolve) => {
    stdin.write(frame, (error) => resolve(error === null || error === undefined));
  });
}
