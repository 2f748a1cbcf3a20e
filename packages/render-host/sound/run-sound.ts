import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readSoundHeader } from '#domain/lib/sound-header.ts';
import { childEnvironment, isCrash, MachineError, programEnd } from '../machine/program.ts';
import { watchMemory } from '../machine/supervised-child.ts';
import type { FinishInput, Music } from './finish-sound.ts';
import { type Parts, SAMPLE_BYTES, SAMPLE_RATE } from './signal.ts';

/** Arguments of the sound between our programs: interleaved stereo at 48 kHz, 4 bytes a sample, without a header. */
export const RAW = ['-f', 'f32le', '-ar', '48000', '-ac', '2'];
/** A filter that reports the loudness by EBU R 128. */
export const MEASURE = 'ebur128=framelog=verbose';
/** Work on sound is some fifty times as fast as playing it, and takes some 50 MB. The report is at the end. */
const LIMITS = { ms: 3_600_000, bytes: 512 * 1024 ** 2, reportCharacters: 2000 };

/**
 * Runs ffmpeg on sound, with `input` on its standard input. Returns the loudness that `MEASURE` reports: LUFS without
 * silences, -70 for silence alone.
 *
 * @throws if ffmpeg fails or takes too much memory; a `MachineError` if this machine is at fault; the signal's reason
 * if aborted.
 */
export async function runSound(
  ffmpegPath: string,
  args: readonly string[],
  signal: AbortSignal,
  input: Parts | Iterable<Uint8Array> = [],
): Promise<number> {
  const child = spawn(ffmpegPath, ['-hide_banner', '-nostats', '-nostdin', '-y', ...args], {
    env: childEnvironment(),
    stdio: ['pipe', 'ignore', 'pipe'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(LIMITS.ms)]),
    killSignal: 'SIGKILL',
    windowsHide: true,
  });
  const ended = programEnd(child, 'program for sound');
  let report = '';
  child.stderr.on('data', (text: string) => {
    report = (report + text).slice(-LIMITS.reportCharacters);
  });
  let overran = false;
  const endWatch = watchMemory(child.pid, LIMITS.bytes, () => {
    overran = child.kill('SIGKILL');
  });
  child.stdin.on('error', () => {});
  try {
    for await (const { buffer, byteOffset, byteLength } of input) {
      if (!child.stdin.writable) break;
      const isRoom = child.stdin.write(new Uint8Array(buffer, byteOffset, byteLength));
      if (!isRoom) await Promise.race([once(child.stdin, 'drain').catch(() => {}), ended]);
    }
    child.stdin.end();
    const fault = await ended;
    signal.throwIfAborted();
    if (overran) throw new Error(`the program for sound took more than ${LIMITS.bytes} bytes of memory`);
    if (fault?.isMachineError && !isCrash(child.signalCode)) throw new MachineError(fault.detail);
    if (fault !== null) throw new Error(fault.detail);
  } finally {
    endWatch();
    child.kill('SIGKILL');
  }
  return Number(/I:\s+(-?[\d.]+) LUFS/.exec(report.slice(report.lastIndexOf('Summary:')))?.[1] ?? -70);
}

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
