import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
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
  const soundPath = join(folder, takes.at(-1) ?? '', 'audio.wav');
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
