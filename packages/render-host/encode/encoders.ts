/** An H.264 encoder that ffmpeg may have, and how it is asked for a clip of high, constant quality. */
export interface EncoderProfile {
  readonly name: string;
  /** `preset` is one of x264's; encoders that know no such thing ignore it. */
  readonly args: (preset: string) => readonly string[];
  /** What ffmpeg is told before its inputs. */
  readonly device?: readonly string[];
  /** What comes last of the filters: takes frames of yuv420p. */
  readonly upload?: string;
}

/** One of the graphics card's: it may fail at any time, and each one has its own idea of quality. */
export interface HardwareProfile extends Omit<EncoderProfile, 'args'> {
  /** `level` is the encoder's own, of constant quality: less is better. */
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

/** Best first: x264, then what distributions without it ship. */
export const SOFTWARE_ENCODERS: readonly EncoderProfile[] = [
  { name: 'libx264', args: (preset) => [...HIGH, '-preset', preset, '-crf', '20'] },
  { name: 'libopenh264', args: () => [...HIGH, '-b:v', '12M'] },
];

/** A hardware encoder at one of its levels. */
export function atLevel({ at, ...profile }: HardwareProfile, level: number): EncoderProfile {
  return { ...profile, args: () => at(level) };
}
