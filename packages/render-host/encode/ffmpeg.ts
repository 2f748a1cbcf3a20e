import { createRequire } from 'node:module';
import { output } from '../machine/program.ts';
import { atLevel, type EncoderProfile, HARDWARE_ENCODERS, matchQuality, SOFTWARE_ENCODERS } from './match-quality.ts';

/** An ffmpeg that can encode H.264 on this machine. */
export interface Ffmpeg {
  readonly path: string;
  /** The first line of `ffmpeg -version`, without the copyright. */
  readonly version: string;
  /** The graphics card's encoder if it is as good as the software encoder. */
  readonly encoder: EncoderProfile;
  /** Makes the clip if the graphics card's encoder fails; null if the encoder is software. */
  readonly fallback: EncoderProfile | null;
}

/** libavcodec's major number in ffmpeg 5.0. Debian 12 has 5.1. Builds between releases have no version of their own. */
const MAINTAINED_LIBAVCODEC = 59;

const found = new Map<string, Promise<ProbedFfmpeg | null>>();

interface ProbedFfmpeg extends Ffmpeg {
  readonly libavcodec: number;
}

/**
 * Finds ffmpeg: `FFMPEG_PATH`, else `ffmpeg` on the PATH, else the one that npm installed. Takes the first that starts
 * and has an H.264 encoder that encodes; with `isMaintained`, as recordings of the game need, one of 5.0 or newer. Checks
 * each program once a process.
 *
 * @throws if there is none, or `FFMPEG_PATH` is wrong.
 */
export async function findFfmpeg(
  env: Readonly<Record<string, string | undefined>>,
  { isMaintained = false }: { readonly isMaintained?: boolean } = {},
): Promise<Ffmpeg> {
  const named = env.FFMPEG_PATH;
  const candidates = named === undefined || named === '' ? ['ffmpeg', bundledPath()] : [named];
  for (const path of candidates) {
    if (path === null) continue;
    const ffmpeg = await probeOnce(path);
    if (ffmpeg === null || (isMaintained && ffmpeg.libavcodec < MAINTAINED_LIBAVCODEC)) continue;
    return ffmpeg;
  }
  const wanted = isMaintained ? 'no ffmpeg 5.0 or newer' : 'no ffmpeg';
  throw new Error(`${wanted} that encodes H.264; looked at ${candidates.filter((path) => path !== null).join(', ')}`);
}

function probeOnce(path: string): Promise<ProbedFfmpeg | null> {
  const known = found.get(path);
  if (known !== undefined) return known;
  const probed = probe(path).then((ffmpeg) => {
    // A machine that was too busy may succeed later.
    if (ffmpeg === null) found.delete(path);
    return ffmpeg;
  });
  found.set(path, probed);
  return probed;
}

async function probe(path: string): Promise<ProbedFfmpeg | null> {
  const version = await output(path, ['-hide_banner', '-version']);
  const listed = version === null ? null : await output(path, ['-hide_banner', '-encoders']);
  if (version === null || listed === null) return null;
  const isListed = ({ name }: { readonly name: string }): boolean => new RegExp(`\\s${name}\\s`).test(listed);
  const libavcodec = Number(/^libavcodec\s+(\d+)\./m.exec(version)?.[1] ?? 0);
  const about = { path, version: (version.split('\n')[0] ?? '').replace(/ Copyright.*/, '').trim(), libavcodec };
  let software: EncoderProfile | null = null;
  for (const encoder of SOFTWARE_ENCODERS.filter(isListed)) {
    if (software === null && (await encodes(path, encoder))) software = encoder;
  }
  for (const hardware of HARDWARE_ENCODERS.filter(isListed)) {
    const untuned = atLevel(hardware, UNTUNED_LEVEL);
    if (!(await encodes(path, untuned))) continue;
    const encoder = software === null ? untuned : await matchQuality(path, hardware, software);
    if (encoder !== null) return { ...about, encoder, fallback: software };
  }
  return software === null ? null : { ...about, encoder: software, fallback: null };
}

/** The level without a software encoder to compare with. */
const UNTUNED_LEVEL = 20;

/** A build lists encoders without their hardware or driver, so each has to encode one frame. */
async function encodes(path: string, encoder: EncoderProfile): Promise<boolean> {
  const { name, args, device = [], upload } = encoder;
  const picture = ['-f', 'lavfi', '-i', 'color=black:size=320x240:rate=1:duration=1'];
  const filter = ['-vf', ['format=yuv420p', ...(upload === undefined ? [] : [upload])].join(',')];
  const encode = [...filter, '-c:v', name, ...args('veryfast'), '-f', 'null', '-'];
  return (await output(path, ['-hide_banner', '-loglevel', 'error', ...device, ...picture, ...encode])) !== null;
}

/** Returns the binary of `@ffmpeg-installer/ffmpeg`; null on a platform without one, where importing it throws. */
function bundledPath(): string | null {
  try {
    const bundled: unknown = createRequire(import.meta.url)('@ffmpeg-installer/ffmpeg');
    return typeof bundled === 'object' && bundled !== null && 'path' in bundled && typeof bundled.path === 'string'
      ? bundled.path
      : null;
  } catch {
    return null;
  }
}
