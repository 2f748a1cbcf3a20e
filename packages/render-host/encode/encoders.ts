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
