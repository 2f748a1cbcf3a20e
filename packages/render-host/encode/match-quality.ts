import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../machine/child-environment.ts';
import { atLevel, type EncoderProfile, type HardwareProfile } from './encoders.ts';

const run = promisify(execFile);

/** How much lower the hardware encoder's SSIM may be than x264's. Nobody sees the difference. */
const SSIM_MARGIN = 0.005;
/** The levels to try, in order. The last is better than any clip needs. */
const LEVELS = [24, 22, 20, 18, 16, 14, 12] as const;
/** The preset of x264 for the comparison and for clips. */
const PRESET = 'veryfast';
/** A driver that hangs must not block the host's start. */
const PATIENCE_MS = 30_000;

const SIZE = { width: 640, height: 360 };
const FRAMES = 12;
/** The test picture: edges, letters, moving colours, and grain like a game's textures. */
const SOURCE = `testsrc2=size=${SIZE.width}x${SIZE.height}:rate=30,noise=alls=12:allf=t`;

/**
 * Returns the hardware encoder at the first level that is as good as the software encoder on a moving picture with
 * grain: its SSIM is lower by at most `SSIM_MARGIN`. Returns null if there is none, or the encoder fails: then it is
 * not used. `path` is ffmpeg's.
 */
export async function matchQuality(
  path: string,
  hardware: HardwareProfile,
  software: EncoderProfile,
): Promise<EncoderProfile | null> {
  const folder = await mkdtemp(join(tmpdir(), 'tickreel-quality-'));
  const raw = ['-f', 'rawvideo', '-pixel_format', 'yuv420p', '-video_size', `${SIZE.width}x${SIZE.height}`];
  const source = [...raw, '-framerate', '30', '-i', join(folder, 'source.yuv')];
  const ffmpeg = (args: readonly string[]): Promise<{ stderr: string }> =>
    run(path, ['-hide_banner', '-nostdin', '-y', ...args], {
      env: childEnvironment(),
      timeout: PATIENCE_MS,
      killSignal: 'SIGKILL',
      windowsHide: true,
    });
  const likeness = async ({ name, args, device = [], upload }: EncoderProfile): Promise<number> => {
    const out = join(folder, 'out.mp4');
    const filter = upload === undefined ? [] : ['-vf', upload];
    await ffmpeg([...device, ...source, ...filter, '-c:v', name, ...args(PRESET), out]);
    const { stderr } = await ffmpeg([...source, '-i', out, '-lavfi', '[1:v][0:v]ssim', '-f', 'null', '-']);
    return Number(/SSIM .*All:([\d.]+)/.exec(stderr)?.[1] ?? 0);
  };
  try {
    await ffmpeg([
      '-f',
      'lavfi',
      '-i',
      SOURCE,
      '-frames:v',
      `${FRAMES}`,
      ...raw.slice(0, 2),
      '-pix_fmt',
      'yuv420p',
      source.at(-1) ?? '',
    ]);
    const wanted = (await likeness(software)) - SSIM_MARGIN;
    for (const level of LEVELS) {
      const encoder = atLevel(hardware, level);
      if ((await likeness(encoder)) >= wanted) return encoder;
    }
    return null;
  } catch {
    return null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
