import { spawn } from 'node:child_process';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { layoutOf } from '#scene/drawing/layout.ts';
import type { CaptureOptions } from '#scene/frames/clip-clock.ts';
import { childEnvironment, MachineError, programEnd } from '../../../machine/program.ts';
import type { FreeBytes } from '../../../machine/work-dir.ts';
import { gameFailure } from '../game/console-faults.ts';
import { FOOTAGE_FILE, type RecordedShot } from './plan-recording.ts';

/** The files of a take. */
export interface Footage {
  readonly recorded: RecordedShot;
  readonly videoPath: string;
  readonly soundPath: string;
  /** Bytes of both files together. Grows while the recorder writes. */
  readonly bytes: number;
}

/**
 * Finds the files of a take: the pictures where ffmpeg puts them, the sound in the newest of HLAE's `takeNNNN` folders.
 * Returns which one is missing, if one is.
 */
export async function findFootage(folder: string, recorded: RecordedShot): Promise<Footage | string> {
  const videoPath = join(folder, FOOTAGE_FILE);
  const takes = (await readdir(folder)).filter((name) => /^take\d+$/.test(name)).toSorted();
  return footageOf(recorded, videoPath, join(folder, takes.at(-1) ?? '', 'audio.wav'));
}

/** Returns the footage of two files, or which one is missing. */
export async function footageOf(
  recorded: RecordedShot,
  videoPath: string,
  soundPath: string,
): Promise<Footage | string> {
  const [video, sound] = await Promise.all([sizeOf(videoPath), sizeOf(soundPath)]);
  if (video === 0) return sound === 0 ? 'the game recorded nothing' : 'the game recorded sound without pictures';
  if (sound === 0) return 'the game recorded no sound';
  return { recorded, videoPath, soundPath, bytes: video + sound };
}

/** Returns 0 for a missing file. */
async function sizeOf(path: string): Promise<number> {
  const file = await stat(path).catch(() => null);
  return file?.isFile() ? file.size : 0;
}

export interface WavInfo {
  readonly seconds: number;
  /** Every sample is zero. */
  readonly isSilent: boolean;
}

/** The largest accepted wav file: more than the sound of a clip can have. */
const MOST_WAV_BYTES = 1 << 30;
const PIECE_BYTES = 1 << 20;

/**
 * Returns what a wav file holds (RIFF, PCM); null for another file. A size of zero in its header means up to the end of
 * the file.
 */
export async function readWav(path: string): Promise<WavInfo | null> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const head = Buffer.alloc(Math.min(size, 4096));
    await file.read(head, 0, head.length, 0);
    if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE') return null;
    let bytesPerSecond = 0;
    for (let at = 12; at + 8 <= head.length; ) {
      const name = head.toString('latin1', at, at + 4);
      const claimed = head.readUInt32LE(at + 4);
      if (name === 'fmt ' && at + 20 <= head.length) bytesPerSecond = head.readUInt32LE(at + 16);
      if (name === 'data') {
        const from = at + 8;
        const bytes = Math.min(claimed === 0 ? size : claimed, size - from);
        if (bytesPerSecond === 0 || bytes > MOST_WAV_BYTES) return null;
        return { seconds: bytes / bytesPerSecond, isSilent: await isZero(file, from, bytes) };
      }
      at += 8 + claimed + (claimed & 1);
    }
    return null;
  } finally {
    await file.close();
  }
}

async function isZero(file: Awaited<ReturnType<typeof open>>, from: number, bytes: number): Promise<boolean> {
  const piece = Buffer.alloc(Math.min(bytes, PIECE_BYTES));
  for (let at = 0; at < bytes; ) {
    const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, bytes - at), from + at);
    if (bytesRead === 0) break;
    if (piece.subarray(0, bytesRead).some((byte) => byte !== 0)) return false;
    at += bytesRead;
  }
  return true;
}

export interface DecodeInput {
  readonly ffmpegPath: string;
  readonly path: string;
  /** The size of the decoded frames in pixels. A file of another size is scaled, one that is too wide cropped first. */
  readonly width: number;
  readonly height: number;
  /** Where to begin, in seconds: at the first frame at or after it. */
  readonly fromSeconds?: number;
  /** The most frames to decode. */
  readonly limit: number;
}

/**
 * Decodes a video file frame by frame, no faster than the caller reads. Each frame is RGBA, top row first, in memory
 * that the next frame reuses. Ends early once the signal aborts.
 *
 * @throws if the file cannot be decoded; a `MachineError` if this machine is at fault. A file that is cut off yields
 * its complete frames.
 */
export async function* decodeFrames(input: DecodeInput, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (signal.aborted) return;
  const { width, height, fromSeconds = 0, limit } = input;
  // Around the crosshair, which is in the middle.
  const crop = layoutOf({ width, height }).isWide ? '' : `crop=ih*${width}/${height}:ih,`;
  const filter = `${crop}scale=${width}:${height}`;
  const seek = fromSeconds > 0 ? ['-ss', fromSeconds.toFixed(6)] : [];
  const child = spawn(
    input.ffmpegPath,
    [
      ...['-hide_banner', '-loglevel', 'error', '-nostdin', ...seek, '-i', input.path, '-an'],
      ...['-vf', filter, '-frames:v', `${limit}`, '-f', 'rawvideo', '-pix_fmt', 'rgba', 'pipe:1'],
    ],
    { env: childEnvironment(), stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true },
  );
  const kill = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  const ended = programEnd(child, 'decoder');
  const frame = new Uint8Array(width * height * 4);
  let filled = 0;
  let frames = 0;
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; ) {
        const part = chunk.subarray(at, at + frame.length - filled);
        frame.set(part, filled);
        filled += part.length;
        at += part.length;
        if (filled < frame.length) continue;
        filled = 0;
        frames++;
        yield frame;
      }
    }
    const failure = await ended;
    if (signal.aborted) return;
    if (failure?.isMachineError) throw new MachineError(failure.detail);
    if (failure !== null && frames === 0) throw new Error(failure.detail);
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
  }
}

/** Bytes that recording leaves free: for the clip, and so that no full disk breaks a file. */
const RESERVE_BYTES = 1024 ** 3;
/** Bytes of footage a pixel with the default codec; a busy test picture took 0.12. */
const BYTES_PER_PIXEL = 0.2;

/** @throws {RecordingFailure} `cs2_unavailable` if the disk has no space for footage of so many frames. */
export async function checkRoom(
  free: FreeBytes,
  folder: string,
  { width, height }: Pick<CaptureOptions, 'width' | 'height'>,
  frames: number,
): Promise<void> {
  const needed = RESERVE_BYTES + width * height * frames * BYTES_PER_PIXEL;
  const available = await free(folder);
  if (available >= needed) return;
  throw gameFailure(`the disk has ${megabytes(available)} free; recording needs ${megabytes(needed)}`);
}

/** @throws {RecordingFailure} `cs2_unavailable` if the disk is so full that recording must stop. */
export async function checkReserve(free: FreeBytes, folder: string): Promise<void> {
  const available = await free(folder);
  if (available >= RESERVE_BYTES / 2) return;
  throw gameFailure(`the disk ran full while recording: ${megabytes(available)} free`);
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 ** 2)} MiB`;
}
