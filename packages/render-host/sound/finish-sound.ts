import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ShotSound } from '../frames/frame-source.ts';
import { MEASURE, RAW, runSound } from './run-sound.ts';
import { type Parts, SAMPLE_BYTES, SAMPLE_RATE, type Samples } from './signal.ts';
import { fade } from './soundtrack.ts';

/** Samples of a half grain (16 ms). A grain fades in over the second half of the one before. */
const HALF_GRAIN = 768;
/** The most samples that a grain is moved to continue the one before: a wave of 120 Hz. */
const REACH = 400;
/** Sound is played on as it is while it is at most so many samples off its time. */
const IN_STEP = 200;
/** The step of samples that are compared. */
const EVERY = 4;

type Pieces = NonNullable<ShotSound['pieces']>;

/**
 * Plays each piece over its seconds, at its pitch, for `length` samples, by overlapping grains where they are alike
 * (WSOLA: Verhelst and Roelands, 1993). Has no joins, is at most 10 ms of the recording off, and does not change sound
 * of speed 1. At a speed of 0.31, ffmpeg's `atempo` was up to 130 ms of the clip off, where this is 25 ms off, and
 * ended pieces early. `read` returns stereo from a sample on, with silence after the file.
 */
export async function* stretched(
  read: (first: number, count: number) => Promise<Samples>,
  pieces: Pieces,
  length: number,
): AsyncGenerator<Samples> {
  const wantedAt = (at: number): number =>
    Math.max(0, Math.round(secondOfFile(pieces, (at + HALF_GRAIN) / SAMPLE_RATE) * SAMPLE_RATE) - HALF_GRAIN);
  let next = wantedAt(0);
  for (let at = 0; at < length; at += HALF_GRAIN) {
    const before = await read(next, HALF_GRAIN);
    const wanted = wantedAt(at);
    const from = Math.max(0, wanted - REACH);
    if (Math.abs(wanted - next) > IN_STEP) next = from + mostAlike(await read(from, HALF_GRAIN + 2 * REACH), before);
    const part = await read(next, HALF_GRAIN);
    for (let i = 0; i < part.length; i++) {
      const fade = 0.5 - 0.5 * Math.cos((Math.PI * ((i >> 1) + 0.5)) / HALF_GRAIN);
      part[i] = (part[i] ?? 0) * fade + (before[i] ?? 0) * (1 - fade);
    }
    next += HALF_GRAIN;
    yield part.subarray(0, (length - at) * 2);
  }
}

function secondOfFile(pieces: Pieces, second: number): number {
  let left = second;
  let at = 0;
  for (const { fromSeconds, toSeconds, seconds } of pieces) {
    at = fromSeconds + ((toSeconds - fromSeconds) * left) / seconds;
    if (left < seconds) break;
    left -= seconds;
  }
  return at;
}

/** Returns the sample of `sound` from which it is most like `other`, by their correlation; the middle for silence. */
function mostAlike(sound: Samples, other: Samples): number {
  let [best, most] = [REACH, 0];
  for (let first = 0; first <= 2 * REACH; first++) {
    let [product, energy] = [0, 1e-9];
    for (let i = 0; i < other.length; i += 2 * EVERY) {
      const value = (sound[first * 2 + i] ?? 0) + (sound[first * 2 + i + 1] ?? 0);
      product += value * ((other[i] ?? 0) + (other[i + 1] ?? 0));
      energy += value * value;
    }
    const likeness = product / Math.sqrt(energy);
    if (likeness > most) [best, most] = [first, likeness];
  }
  return best;
}

/** The loudness of each clip in LUFS, and a difference that is inaudible. */
const TARGET = -16;
const CLOSE = 0.6;
/** The most amplification in decibels. A quiet scene stays quieter. */
const MOST_GAIN = 12;
/** The limiter reduces loudness, so the first gain may be too low. What is missing then takes more gain. */
const TRIES = 3;
const MORE = 1.5;
/**
 * The highest level, between samples too (true peak): -4.5 dB. What an AAC encoder adds stays below -1.5 dB. Four times
 * the samples show the peaks between two of them. The limiter looks 2 ms ahead, and is late by as much.
 */
const LIMITER = `aresample=${4 * SAMPLE_RATE},alimiter=limit=0.5957:attack=2:release=90:level=0,aresample=${SAMPLE_RATE}`;
const LATE = 0.002 * SAMPLE_RATE;
/** Samples that are read at once. */
const CHUNK = 2 * SAMPLE_RATE;

/** A file of `RAW` sound, and its loudness in LUFS. */
interface Mix {
  readonly path: string;
  readonly loudness: number;
}

export interface Music extends Mix {
  readonly seconds: number;
}

export interface FinishInput {
  readonly ffmpeg: { readonly path: string };
  /** See `CaptureResult`. */
  readonly sound: readonly ShotSound[] | null;
  readonly music: Music | null;
  /** Seconds of the cards before the shots. Cards are silent. */
  readonly before: number;
  /** Seconds of the clip. */
  readonly seconds: number;
  readonly workDir: string;
  readonly signal: AbortSignal;
}

/**
 * Joins the sounds of the shots, adds the music, and brings the clip to its loudness. Returns the path of a file that
 * is as long as the clip, to a sample; null for a silent clip.
 *
 * @throws what `runSound` throws.
 */
export async function finishSound(input: FinishInput): Promise<string | null> {
  const { ffmpeg, sound, music, seconds, workDir, signal } = input;
  if (sound === null && music === null) return null;
  const joined = join(workDir, 'joined.raw');
  const args = [...RAW, '-i', 'pipe:0', '-af', MEASURE, ...RAW, joined];
  let mix = { path: joined, loudness: await runSound(ffmpeg.path, args, signal, joinedSounds(input)) };
  if (music !== null) mix = await addMusic(input, music, mix);
  const path = join(workDir, 'sound.w64');
  for (let attempt = 0, gain = gainFor(mix); attempt < TRIES; attempt++) {
    const cut = `atrim=start_sample=${LATE}:end_sample=${sampleAt(seconds) + LATE},asetpts=PTS-STARTPTS`;
    const filters = ['-af', `volume=${gain}dB,apad,${LIMITER},${cut},${MEASURE}`];
    const args = [...RAW, '-i', mix.path, ...filters, '-c:a', 'pcm_s16le', '-f', 'w64', path];
    const reached = await runSound(ffmpeg.path, args, signal);
    const next = Math.min(MOST_GAIN, gain + (TARGET - reached) * MORE);
    if (Math.abs(next - gain) < CLOSE) break;
    gain = next;
  }
  await rm(mix.path);
  return path;
}

function gainFor({ loudness }: Mix): number {
  return Math.min(MOST_GAIN, TARGET - loudness);
}

function sampleAt(second: number): number {
  return Math.round(second * SAMPLE_RATE);
}

/** Reads so many samples of a file, or its pieces. It is silent after its end. */
async function* readSound(path: string, length: number, pieces?: ShotSound['pieces']): AsyncGenerator<Samples> {
  const file = await open(path);
  const read = async (first: number, count: number): Promise<Samples> => {
    const part = new Float32Array(count * 2);
    await file.read(new Uint8Array(part.buffer), { position: first * SAMPLE_BYTES });
    return part;
  };
  try {
    if (pieces !== undefined) return yield* stretched(read, pieces, length);
    for (let at = 0; at < length; at += CHUNK) yield await read(at, Math.min(CHUNK, length - at));
  } finally {
    await file.close();
  }
}

/**
 * Returns the shots' sounds one after the other, each exactly as long as its shot: recorders end a sound some
 * milliseconds off the picture, which would add up over many shots. What has no sound is silent.
 */
async function* joinedSounds(input: FinishInput): AsyncGenerator<Samples> {
  const { ffmpeg, sound, before, seconds, workDir, signal } = input;
  const decoded = join(workDir, 'shot.raw');
  let end = before;
  let at = 0;
  for (const { path, parts, pieces, delaySeconds = 0, ...shot } of sound ?? []) {
    const start = Math.min(delaySeconds, shot.seconds) + end;
    end += shot.seconds;
    const length = sampleAt(end) - sampleAt(start);
    if (path !== null) await runSound(ffmpeg.path, ['-i', path, '-map', '0:a', ...RAW, decoded], signal);
    yield* exactly([], sampleAt(start) - at);
    yield* exactly(path === null ? (parts?.() ?? []) : readSound(decoded, length, pieces), length);
    at = sampleAt(end);
  }
  await rm(decoded, { force: true });
  yield* exactly([], sampleAt(seconds) - at);
}

/** Returns so many samples, faded at both ends, with silence after the end of the parts. */
async function* exactly(parts: Parts, length: number): AsyncGenerator<Samples> {
  let at = 0;
  for await (const all of parts) {
    const part = all.subarray(0, (length - at) * 2);
    fade(part, at, length);
    yield part;
    at += part.length / 2;
    if (at === length) return;
  }
  for (; at < length; at += CHUNK) yield new Float32Array(Math.min(CHUNK, length - at) * 2);
}

/** Seconds of the music's fades, if there is time. */
const MUSIC_FADE = { in: 1, out: 2.5 };
const STEREO = 'aformat=sample_fmts=flt:channel_layouts=stereo';
/**
 * Lowers the music by 11 dB under sound of -18 dB, and not at all under silence. A low threshold with a low ratio
 * lowers it evenly, instead of at each gunshot alone.
 */
const DUCK = 'sidechaincompress=threshold=0.003:ratio=1.5:attack=30:release=600';

/** Mixes music under the shots, each at the loudness of a clip. */
async function addMusic({ ffmpeg, seconds, workDir, signal }: FinishInput, music: Music, shots: Mix): Promise<Mix> {
  const path = join(workDir, 'mixed.raw');
  const end = Math.min(music.seconds, seconds);
  const [rise, fall] = [Math.min(MUSIC_FADE.in, end / 4), Math.min(MUSIC_FADE.out, end / 4)];
  const fades = `afade=t=in:d=${rise},afade=t=out:st=${end - fall}:d=${fall}`;
  const graph = [
    `[0]${STEREO},volume=${gainFor(shots)}dB,asplit[shots][key]`,
    `[1]${STEREO},volume=${gainFor(music)}dB,${fades},apad,atrim=end=${seconds.toFixed(6)}[music]`,
    `[music][key]${DUCK}[low]`,
    `[shots][low]amix=duration=first,volume=2,${MEASURE}[out]`,
  ].join(';');
  const inputs = [...RAW, '-i', shots.path, ...RAW, '-i', music.path];
  const args = [...inputs, '-filter_complex', graph, '-map', '[out]', ...RAW, path];
  const loudness = await runSound(ffmpeg.path, args, signal);
  await rm(shots.path);
  return { path, loudness };
}
