import type { ShotSound } from '../frames/frame-source.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import { soundArgs } from './sound-args.ts';

export interface EncodeFormat {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  /** x264 preset. */
  readonly preset: string;
  /** One sound for each shot in order, or one for all; at least one. */
  readonly sound: readonly ShotSound[];
}

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
  { width, height, fps, preset, sound }: EncodeFormat,
  outPath: string,
): string[] {
  const soundArguments = soundArgs(sound, 1);
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
  const { name, args, device = [], upload } = ffmpeg.encoder;
  const toTv = 'scale=in_range=pc:out_range=tv:out_color_matrix=bt709:flags=bilinear,format=yuv420p';
  const convert = upload === undefined ? toTv : `${toTv},${upload}`;
  const color = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'];
  return [
    ...['-hide_banner', '-loglevel', 'error', '-nostdin', '-y', ...device],
    ...input,
    ...['-i', 'pipe:0', ...soundArguments.inputs, '-vf', convert, ...soundArguments.output],
    ...['-c:v', name, ...args(preset)],
    ...['-g', `${Math.max(1, Math.round(fps * KEY_FRAME_SECONDS))}`, '-r', `${fps}`, ...color],
    ...['-movflags', '+faststart', '-f', 'mp4', outPath],
  ];
}
