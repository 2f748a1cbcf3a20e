import type { Ffmpeg } from './ffmpeg.ts';

export interface EncodeFormat {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  /** x264 preset. */
  readonly preset: string;
  /** A file as long as the clip; null for silence, because players and editors work better with a silent track. */
  readonly sound: string | null;
  readonly seconds: number;
}

/**
 * Encodes AAC so that gunfire does not clip. ffmpeg's other coder makes its peaks up to 4 dB higher (ffmpeg 5) and is
 * slower; intensity stereo and noise shaping add up to 5 dB.
 */
export const AAC_ARGS = ['-c:a', 'aac', '-b:a', '192k', '-aac_coder', 'fast', '-aac_is', '0', '-aac_tns', '0'];

/** The most seconds between key frames: how exactly a player can seek. */
const KEY_FRAME_SECONDS = 2;
/** Frames that ffmpeg reads ahead. Its default is eight: 118 MB at 1440 lines, too much for the cache. */
const QUEUED_FRAMES = 1;

/**
 * Returns ffmpeg's arguments: raw RGBA frames on stdin, one MP4 in `outPath`. Players assume BT.709 at TV range for HD
 * video, so it is both converted to and tagged. A stream that is only tagged, or only converted, has wrong colours.
 */
export function encodeArgs(
  ffmpeg: Ffmpeg,
  { width, height, fps, preset, sound, seconds }: EncodeFormat,
  outPath: string,
): string[] {
  const input = [
    '-thread_queue_size',
    `${QUEUED_FRAMES}`,
    '-f',
    'rawvideo',
    '-pixel_format',
    'rgba',
    '-video_size',
    `${width}x${height}`,
    '-framerate',
    `${fps}`,
  ];
  const silence = ['-f', 'lavfi', '-t', seconds.toFixed(6), '-i', 'anullsrc=r=48000:cl=stereo'];
  const track = sound === null ? silence : ['-i', sound];
  const { name, args, device = [], upload } = ffmpeg.encoder;
  const toTv = 'scale=in_range=pc:out_range=tv:out_color_matrix=bt709:flags=bilinear,format=yuv420p';
  const convert = upload === undefined ? toTv : `${toTv},${upload}`;
  const color = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'];
  return [
    ...['-hide_banner', '-loglevel', 'error', '-nostdin', '-y', ...device],
    ...input,
    ...['-i', 'pipe:0', ...track],
    ...['-map', '0:v', '-map', '1:a', '-vf', convert, ...AAC_ARGS, '-ar', '48000'],
    ...['-c:v', name, ...args(preset)],
    ...['-g', `${Math.max(1, Math.round(fps * KEY_FRAME_SECONDS))}`, '-r', `${fps}`, ...color],
    ...['-movflags', '+faststart', '-f', 'mp4', outPath],
  ];
}
