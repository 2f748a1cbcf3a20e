import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RecordingFailure } from '../game/failure.ts';
import { FOOTAGE_FILE, type RecordedShot } from './plan-recording.ts';

/** What a take left. */
export interface Footage {
  readonly recorded: RecordedShot;
  readonly videoPath: string;
  /** null where the game left no sound. */
  readonly soundPath: string | null;
}

/**
 * Finds the files of a take: the pictures where ffmpeg was told to put them, the sound in the newest of HLAE's
 * `takeNNNN` folders.
 *
 * @throws {RecordingFailure} `render_failed` when there are no pictures.
 */
export async function findFootage(folder: string, recorded: RecordedShot): Promise<Footage> {
  const videoPath = join(folder, FOOTAGE_FILE);
  if ((await sizeOf(videoPath)) === 0) throw new RecordingFailure('render_failed', 'the game recorded no pictures');
  const takes = (await readdir(folder)).filter((name) => /^take\d+$/.test(name)).toSorted();
  const soundPath = join(folder, takes.at(-1) ?? '', 'audio.wav');
  return { recorded, videoPath, soundPath: (await sizeOf(soundPath)) === 0 ? null : soundPath };
}

/** Zero for a file that is not there. */
async function sizeOf(path: string): Promise<number> {
  const file = await stat(path).catch(() => null);
  return file?.isFile() ? file.size : 0;
}
