import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readSoundHeader } from '#domain/sound-header.ts';
import type { FinishInput, Music } from './finish-sound.ts';
import { MEASURE, RAW, runSound } from './run-sound.ts';
import { SAMPLE_BYTES, SAMPLE_RATE } from './signal.ts';

/** The longest music, and the time to decode it, which takes some seconds. */
const MOST = { seconds: 600, ms: 60_000 };
/** Decoders of the four formats. A WAV file and a tag's picture could name any other. */
const DECODERS =
  'mp3float,mp3,flac,vorbis,libvorbis,opus,libopus,pcm_u8,pcm_s16le,pcm_s24le,pcm_s32le,pcm_f32le,pcm_f64le';

/** `seconds`: the most that is needed. */
export type MusicInput = Pick<FinishInput, 'ffmpeg' | 'seconds' | 'workDir' | 'signal'>;

/**
 * Decodes the first `seconds` of a music file (WAV, MP3, FLAC, or OGG with Vorbis or Opus) and measures them. The file
 * is untrusted and decoders have faults: ffmpeg gets it on a pipe, opens nothing else, and uses the demuxer that the
 * header names, because others read playlists, which name files and addresses. Tags and pictures are dropped.
 *
 * @throws what `runSound` throws; an `Error` if it is no sound file, has no sound, or takes too long.
 */
export async function decodeMusic(music: Uint8Array, { ffmpeg, seconds, workDir, signal }: MusicInput): Promise<Music> {
  const header = readSoundHeader(music);
  if (!header.ok) throw new Error(`its format is ${header.fault}`);
  const demuxer = header.type.replace('audio/', '').replace('mpeg', 'mp3');
  const path = join(workDir, 'music.raw');
  const most = Math.min(MOST.seconds, seconds);
  const safe = ['-protocol_whitelist', 'pipe', '-codec_whitelist', DECODERS, '-f', demuxer];
  const filters = ['-map', '0:a:0', '-af', `aformat=channel_layouts=stereo,${MEASURE}`];
  const bound = ['-t', `${most}`, '-fs', `${Math.ceil(most * SAMPLE_RATE) * SAMPLE_BYTES}`];
  const limit = AbortSignal.any([signal, AbortSignal.timeout(MOST.ms)]);
  const args = [...safe, '-i', 'pipe:0', ...filters, ...bound, ...RAW, path];
  const loudness = await runSound(ffmpeg.path, args, limit, [music]);
  const { size } = await stat(path);
  if (size === 0) throw new Error('the music has no sound');
  return { path, seconds: size / SAMPLE_BYTES / SAMPLE_RATE, loudness };
}
