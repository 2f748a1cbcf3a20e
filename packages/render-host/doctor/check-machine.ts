import { readdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { GlobalFonts } from '@napi-rs/canvas';
import { reasonOf } from '#domain/lib/text.ts';
import { FONT } from '#scene/drawing/fonts.ts';
import { hasGlyphs } from '#scene/drawing/weapon-glyphs.ts';
import { loadRadarPicture } from '../capture/radar/radar-picture.ts';
import { useHostCanvas } from '../drawing/host-canvas.ts';
import { findFfmpeg } from '../encode/ffmpeg.ts';
import { freeBytes, takeWorkPlace } from '../machine/work-dir.ts';
import { loadOutline, outlineFile } from '../match/inspect-match.ts';

/** The result of one check of the doctor. */
export interface Finding {
  readonly check: string;
  /** `warn`: the host works, but not as well as it could. */
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do about it, or null. */
  readonly remedy: string | null;
}

export function ok(check: string, detail: string): Finding {
  return { check, status: 'ok', detail, remedy: null };
}

export function warn(check: string, detail: string, remedy: string): Finding {
  return { check, status: 'warn', detail, remedy };
}

export function fail(check: string, detail: string, remedy: string): Finding {
  return { check, status: 'fail', detail, remedy };
}

const GIGABYTE = 1024 ** 3;
/** Free bytes for an archive, its demo and the clip of the largest real matches, with a margin. */
const ENOUGH_SPACE = 10 * GIGABYTE;
/** Bytes of memory for frames, the match, the encoder and the parser. */
const ENOUGH_MEMORY = 3 * GIGABYTE;

export async function checkWorkDir(workDir: string, minFreeBytes: number): Promise<Finding[]> {
  try {
    const place = await takeWorkPlace(workDir);
    const probe = join(place.path, '.doctor');
    await writeFile(probe, 'tickreel');
    await rm(probe);
    place.release();
  } catch (error) {
    const remedy = `let the user of the host write to ${workDir}, or set TICKREEL_WORK_DIR to another folder`;
    return [fail('work folder', reasonOf(error), remedy)];
  }
  return [ok('work folder', `${workDir} can be written`), judgeSpace(await freeBytes(workDir), minFreeBytes)];
}

function judgeSpace(free: number, minFree: number): Finding {
  const detail = `${gigabytes(free)} free`;
  if (free < minFree) {
    const remedy = 'free some space, or set TICKREEL_WORK_DIR to a larger disk: with so little the host claims nothing';
    return fail('disk space', detail, remedy);
  }
  if (free < ENOUGH_SPACE) return warn('disk space', detail, `${gigabytes(ENOUGH_SPACE)} are enough for every demo`);
  return ok('disk space', detail);
}

/** `isRecording`: the host records the game. */
export async function checkEncoder(environment: NodeJS.ProcessEnv, isRecording: boolean): Promise<Finding> {
  try {
    const { path, version, encoder, fallback } = await findFfmpeg(environment, { isMaintained: isRecording });
    const other = fallback === null ? '' : `, and ${fallback.name} where it fails`;
    return ok('encoder', `${encoder.name} of ${version} (${path})${other}`);
  } catch (error) {
    const remedy = isRecording
      ? 'install ffmpeg 5.0 or newer with libx264 (Debian 12: apt-get install ffmpeg), or name one in FFMPEG_PATH'
      : 'run npm ci, which brings one; or install an ffmpeg with libx264 and name it in FFMPEG_PATH';
    return fail('encoder', reasonOf(error), remedy);
  }
}

export function checkFonts(): Finding {
  useHostCanvas();
  const missing = Object.values(FONT).filter((family) => !GlobalFonts.has(family));
  if (missing.length > 0) {
    return fail(
      'fonts',
      `${missing.join(' and ')} cannot be read`,
      'check out the repository again: packages/scene/fonts is damaged',
    );
  }
  const lost = withoutLetters({ Chinese: '漢', Japanese: 'か', Korean: '한', Arabic: 'ع', emoji: '🔥' });
  if (lost.length > 0) {
    return fail('fonts', `no letters for names in ${lost.join(', ')}`, 'run npm ci again: it brings fonts for them');
  }
  // Each letter is of a script that no package has: the machine's fonts have to.
  const others = withoutLetters({ Thai: 'ก', Hebrew: 'ש', Hindi: 'अ' });
  if (others.length === 0) return ok('fonts', 'for names in every script');
  return warn(
    'fonts',
    `no letters for names in ${others.join(', ')} and the like; all others come with npm ci`,
    'until then they are dots; install fonts, such as the package fonts-noto-core',
  );
}

function withoutLetters(scripts: Readonly<Record<string, string>>): string[] {
  return Object.entries(scripts).flatMap(([name, letter]) => (hasGlyphs(letter) ? [] : [name]));
}

/** Whether the operator's map pictures can be read. */
export function checkRadarPictures(folder: string): Promise<Finding> {
  const remedy = 'put <map>.txt with its <map>.png there, as docs/render-host.md says';
  return checkMaps('radar pictures', folder, { ending: '.txt', load: loadRadarPicture, remedy });
}

export function checkOutlines(folder: string): Promise<Finding> {
  const remedy = 'write them anew with `maps import`, as docs/render-host.md says';
  return checkMaps('outlines', folder, { ending: outlineFile(''), load: loadOutline, remedy });
}

interface MapFiles {
  /** What the name of a map's file has after the name of the map. */
  readonly ending: string;
  readonly load: (folder: string, map: string) => Promise<unknown>;
  readonly remedy: string;
}

async function checkMaps(check: string, folder: string, { ending, load, remedy }: MapFiles): Promise<Finding> {
  const names = await readdir(folder).catch(() => null);
  if (names === null) return fail(check, `${folder} cannot be read`, remedy);
  const maps = names.filter((name) => name.endsWith(ending)).map((name) => name.slice(0, -ending.length));
  const loaded = await Promise.allSettled(maps.map((map) => load(folder, map)));
  const faults = loaded.flatMap((one) => (one.status === 'rejected' ? [reasonOf(one.reason)] : []));
  if (faults.length > 0) return fail(check, faults.join('; '), remedy);
  if (maps.length === 0) return fail(check, `${folder} describes no map`, remedy);
  return ok(check, `of ${maps.toSorted().join(', ')}`);
}

export function checkPower(): Finding {
  const memory = totalmem();
  const detail = `${availableParallelism()} cores, ${gigabytes(memory)} of memory`;
  if (memory >= ENOUGH_MEMORY) return ok('machine', detail);
  return warn(
    'machine',
    detail,
    `long matches at 1440 lines want ${gigabytes(ENOUGH_MEMORY)}; set TICKREEL_MAX_RESOLUTION=1080`,
  );
}

function gigabytes(bytes: number): string {
  return `${(bytes / GIGABYTE).toFixed(1)} GB`;
}
