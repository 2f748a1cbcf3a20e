import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment, rawFrames } from '../machine/program.ts';

/** An H.264 encoder that ffmpeg may have, with its options for high, constant quality. */
export interface EncoderProfile {
  readonly name: string;
  /** `preset` is one of x264's. Other encoders ignore it. */
  readonly args: (preset: string) => readonly string[];
  /** Options before ffmpeg's inputs. */
  readonly device?: readonly string[];
  /** The last filter. Its input is frames of yuv420p. */
  readonly upload?: string;
}

/** An encoder of a graphics card. It may fail at any time, and each has its own scale of quality. */
export interface HardwareProfile extends Omit<EncoderProfile, 'args'> {
  /** `level` is the encoder's own scale of constant quality; less is better. */
  readonly at: (level: number) => readonly string[];
}

const HIGH = ['-profile:v', 'high'];

/** Best first. The flags are those of `ffmpeg -h encoder=…`. */
export const HARDWARE_ENCODERS: readonly HardwareProfile[] = [
  { name: 'h264_nvenc', at: (level) => [...HIGH, '-rc', 'vbr', '-cq', `${level}`, '-b:v', '0'] },
  { name: 'h264_amf', at: (level) => [...HIGH, '-rc', 'cqp', '-qp_i', `${level}`, '-qp_p', `${level + 2}`] },
  { name: 'h264_qsv', upload: 'format=nv12', at: (level) => [...HIGH, '-global_quality', `${level}`] },
  {
    name: 'h264_vaapi',
    device: ['-vaapi_device', '/dev/dri/renderD128'],
    upload: 'format=nv12,hwupload',
    at: (level) => [...HIGH, '-rc_mode', 'CQP', '-qp', `${level}`],
  },
];

/** Best first: x264, then those of distributions without it. */
export const SOFTWARE_ENCODERS: readonly EncoderProfile[] = [
  { name: 'libx264', args: (preset) => [...HIGH, '-preset', preset, '-crf', '20'] },
  { name: 'libopenh264', args: () => [...HIGH, '-b:v', '12M'] },
];

/** Returns a hardware encoder at one of its levels. */
export function atLevel({ at, ...profile }: HardwareProfile, level: number): EncoderProfile {
  return { ...profile, args: () => at(level) };
}

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
  const original = join(folder, 'source.yuv');
  const source = [...rawFrames('yuv420p', SIZE, 30), '-i', original];
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
    const made = ['-f', 'lavfi', '-i', SOURCE, '-frames:v', `${FRAMES}`];
    await ffmpeg([...made, '-f', 'rawvideo', '-pix_fmt', 'yuv420p', original]);
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
