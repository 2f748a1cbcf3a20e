/** An H.264 encoder that ffmpeg may have, and how it is asked for a clip of high, constant quality. */
export interface EncoderProfile {
  readonly name: string;
  /** `preset` is one of x264's; encoders that know no such thing ignore it. */
  readonly args: (preset: string) => readonly string[];
}

/** Best first: hardware while it is there, then x264, then what distributions without x264 ship. */
export const ENCODERS: readonly EncoderProfile[] = [
  { name: 'h264_nvenc', args: () => ['-profile:v', 'high', '-rc', 'vbr', '-cq', '22', '-b:v', '0'] },
  { name: 'h264_amf', args: () => ['-profile:v', 'high', '-rc', 'cqp', '-qp_i', '21', '-qp_p', '23'] },
  { name: 'h264_qsv', args: () => ['-profile:v', 'high', '-global_quality', '22'] },
  { name: 'libx264', args: (preset) => ['-profile:v', 'high', '-preset', preset, '-crf', '20'] },
  { name: 'libopenh264', args: () => ['-profile:v', 'high', '-b:v', '12M'] },
];
