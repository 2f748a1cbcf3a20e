import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { childEnvironment } from '../machine/child-environment.ts';
import { ENCODERS, type EncoderProfile } from './encoders.ts';

const run = promisify(execFile);

/** An ffmpeg that can encode H.264 on this machine. */
export interface Ffmpeg {
  readonly path: string;
  /** First line of `ffmpeg -version`, without the copyright. */
  readonly version: string;
  readonly encoder: EncoderProfile;
}

/** A driver that hangs must not hold up the host's start. */
const PROBE_TIMEOUT_MS = 20_000;
const found = new Map<string, Promise<Ffmpeg | null>>();

/**
 * Finds ffmpeg: `FFMPEG_PATH`, else `ffmpeg` on the PATH, else the one that npm installed. The first that starts and
 * has an H.264 encoder which really encodes is taken; each program is asked once a process. Throws when there is none,
 * or when `FFMPEG_PATH` names none.
 */
export async function findFfmpeg(env: Readonly<Record<string, string | undefined>>): Promise<Ffmpeg> {
  const named = env.FFMPEG_PATH;
  const candidates = named === undefined || named === '' ? ['ffmpeg', bundledPath()] : [named];
  for (const path of candidates) {
    if (path === null) continue;
    const ffmpeg = await probeOnce(path);
    if (ffmpeg !== null) return ffmpeg;
  }
  throw new Error(`no ffmpeg that encodes H.264; looked at ${candidates.filter((path) => path !== null).join(', ')}`);
}

function probeOnce(path: string): Promise<Ffmpeg | null> {
  let probed = found.get(path);
  if (probed === undefined) {
    probed = probe(path);
    found.set(path, probed);
  }
  return probed;
}

async function probe(path: string): Promise<Ffmpeg | null> {
  const version = await output(path, ['-hide_banner', '-version']);
  const listed = version === null ? null : await output(path, ['-hide_banner', '-encoders']);
  if (version === null || listed === null) return null;
  for (const encoder of ENCODERS) {
    if (!new RegExp(`\\s${encoder.name}\\s`).test(listed)) continue;
    if (await encodes(path, encoder)) return { path, version: versionLine(version), encoder };
  }
  return null;
}

/** A build lists encoders whose hardware or driver is not there, so each has to show one frame. */
async function encodes(path: string, encoder: EncoderProfile): Promise<boolean> {
  const picture = ['-f', 'lavfi', '-i', 'color=black:size=320x240:rate=1:duration=1', '-pix_fmt', 'yuv420p'];
  const encode = ['-c:v', encoder.name, ...encoder.args('veryfast'), '-f', 'null', '-'];
  return (await output(path, ['-hide_banner', '-loglevel', 'error', ...picture, ...encode])) !== null;
}

/** What a run writes to stdout, or null when it does not start, fails or takes too long. */
async function output(path: string, args: readonly string[]): Promise<string | null> {
  try {
    const { stdout } = await run(path, args, {
      env: childEnvironment(),
      timeout: PROBE_TIMEOUT_MS,
      killSignal: 'SIGKILL',
      windowsHide: true,
    });
    return stdout;
  } catch {
    return null;
  }
}

function versionLine(text: string): string {
  return (text.split('\n')[0] ?? '').replace(/ Copyright.*/, '').trim();
}

/** The binary of `@ffmpeg-installer/ffmpeg`; null on a platform it has none for, where merely loading it throws. */
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
