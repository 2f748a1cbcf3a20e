import { type ChildProcess, spawn } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import type { FrameSource, ShotSound } from '../capture/capture.ts';
import { encodeArgs } from './encode-args.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import { readMp4 } from './mp4-boxes.ts';

export interface EncodeInput {
  readonly ffmpeg: Ffmpeg;
  readonly source: FrameSource;
  /** Of the source's frames, in pixels; even. */
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  /** Of each shot in order; without it the clip has no sound. */
  readonly sound?: readonly ShotSound[] | null;
  readonly outPath: string;
  readonly signal: AbortSignal;
  /** x264 preset; `veryfast` unless told. */
  readonly preset?: string;
  /** Called after each frame that the encoder took. */
  readonly onProgress?: (framesDone: number, frameCount: number) => void;
}

export type EncodeResult =
  | { readonly ok: true; readonly frames: number; readonly durationSeconds: number; readonly bytes: number }
  | { readonly ok: false; readonly code: 'render_failed'; readonly detail: string };

/** How much of what ffmpeg says last is kept for the failure's detail. */
const STDERR_TAIL = 2000;
const STOPPED = 'the render was stopped';

/**
 * Encodes all frames of a source into one MP4 (H.264 High, yuv420p, BT.709, fast start; AAC where there is sound) and checks the file that came out. Frames are drawn as fast
 * as the encoder takes them, never ahead of it. An encoder that dies, a full disk, a source that throws or an aborted
 * signal is a failure, not an exception; the file is then removed.
 */
export async function encodeClip(input: EncodeInput): Promise<EncodeResult> {
  const { ffmpeg, width, height, fps, preset = 'veryfast', sound = null, outPath } = input;
  if (input.signal.aborted) return failed(STOPPED);
  const child = spawn(ffmpeg.path, encodeArgs(ffmpeg, { width, height, fps, preset, sound }, outPath), {
    stdio: ['pipe', 'ignore', 'pipe'],
    windowsHide: true,
  });
  const exit = watchExit(child);
  const stop = new AbortController();
  const signal = AbortSignal.any([input.signal, stop.signal]);
  // The frames of a dead encoder are not worth drawing, and an aborted render ends its encoder at once.
  void exit.then(() => stop.abort());
  signal.addEventListener('abort', () => child.kill('SIGKILL'));
  let frames = 0;
  let sourceFailure: string | null = null;
  try {
    for await (const frame of input.source.frames(signal)) {
      if (!(await write(child.stdin, frame))) break;
      frames++;
      input.onProgress?.(frames, input.source.frameCount);
    }
  } catch (error) {
    sourceFailure = `drawing failed: ${error instanceof Error ? error.message : String(error)}`;
    child.kill('SIGKILL');
  }
  child.stdin.end();
  const ended = await exit;
  const failure = input.signal.aborted ? STOPPED : (sourceFailure ?? ended);
  const result = failure === null ? await verify(input, frames) : failed(failure);
  if (!result.ok) await rm(outPath, { force: true });
  return result;
}

async function verify({ source, width, height, outPath }: EncodeInput, frames: number): Promise<EncodeResult> {
  const info = await readMp4(outPath).catch(() => null);
  if (info === null || info.video === null) return failed('the encoder left no complete MP4 file');
  const { video } = info;
  if (!info.fastStart) return failed('the MP4 file does not start with its index');
  if (frames !== source.frameCount || video.samples !== frames) {
    return failed(`${source.frameCount} frames planned, ${frames} drawn, ${video.samples} in the file`);
  }
  if (video.codec !== 'avc1' || video.width !== width || video.height !== height) {
    return failed(`the file holds ${video.codec} ${video.width}×${video.height}`);
  }
  return { ok: true, frames, durationSeconds: video.durationSeconds, bytes: (await stat(outPath)).size };
}

function failed(detail: string): EncodeResult {
  return { ok: false, code: 'render_failed', detail };
}

/** Resolves to null when the program ends well, else to what went wrong. Never rejects. */
function watchExit(child: ChildProcess): Promise<string | null> {
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_TAIL);
  });
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(`the encoder did not start: ${error.message}`));
    child.on('close', (code, killedBy) => {
      if (code === 0) return resolve(null);
      const reason = code === null ? `was ended by ${killedBy}` : `ended with code ${code}`;
      resolve(`the encoder ${reason}${stderr === '' ? '' : `: ${stderr.trim()}`}`);
    });
  });
}

/** Writes a frame and waits until it is gone, for its memory is used again. False when the encoder no longer reads. */
function write(stdin: Writable, frame: Uint8Array): Promise<boolean> {
  if (stdin.listenerCount('error') === 0) stdin.on('error', () => {});
  return new Promise((resolve) => {
    stdin.write(frame, (error) => resolve(error === null || error === undefined));
  });
}
