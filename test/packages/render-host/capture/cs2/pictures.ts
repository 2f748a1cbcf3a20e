import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { expect } from 'vitest';
import type { CaptureResult } from '#render-host/capture/capture.ts';
import type { Match } from '#render-host/match/match.ts';
import { type CaptureOptions, createClipClock } from '#scene/frames/clip-clock.ts';
import { playerAt } from '#scene/match/player-state.ts';
import type { Shot } from '#scene/plan/shot.ts';

/** Pictures that encode their tick and player: eight by four squares, dark for 0 and light for 1. */
const COLUMNS = 8;
const ROWS = 4;
const TICK_BITS = 22;
const SLOT_BITS = 6;
const DARK = 40;
const LIGHT = 210;

/** Returns a frame's tick in sixteenths, its slot, and a check of both, as 32 bits. */
function bitsOf(tick: number, slot: number): number[] {
  const sixteenths = Math.round(tick * 16);
  const values = [
    ...Array.from({ length: TICK_BITS }, (_, bit) => (sixteenths >>> bit) & 1),
    ...Array.from({ length: SLOT_BITS }, (_, bit) => (slot >>> bit) & 1),
  ];
  const ones = values.reduce((sum, bit, index) => sum + bit * (index + 1), 0);
  return [...values, ...Array.from({ length: 4 }, (_, bit) => (ones >>> bit) & 1)];
}

/** Grey, one byte a pixel. */
export function paintPicture(width: number, height: number, tick: number, slot: number): Uint8Array {
  const bits = bitsOf(tick, slot);
  const picture = new Uint8Array(width * height);
  const row = new Uint8Array(width);
  for (let y = 0; y < height; y++) {
    const line = Math.floor((y * ROWS) / height);
    if (y === 0 || line !== Math.floor(((y - 1) * ROWS) / height)) {
      for (let x = 0; x < width; x++) row[x] = bits[line * COLUMNS + Math.floor((x * COLUMNS) / width)] ? LIGHT : DARK;
    }
    picture.set(row, y * width);
  }
  return picture;
}

/**
 * Draws a notice where the game does (`huddeathnotice.css`), as wide as it can be beside the squares that `readPicture`
 * looks at: stripes, like letters.
 */
export function paintNotice(picture: Uint8Array, width: number, height: number, row: number, letters: number): void {
  const pixels = (lines: number): number => Math.round((lines * height) / 1080);
  for (let y = pixels(75 + 36 * row); y < pixels(75 + 36 * row + 33); y++) {
    for (let x = Math.ceil(width * 0.945); x < width - pixels(10); x++)
      picture[y * width + x] = ((x + letters) >> 1) % 2 === 0 ? 5 : 250;
  }
}

export function blackPicture(width: number, height: number): Uint8Array {
  return new Uint8Array(width * height);
}

/** Reads a frame of RGBA; null if it encodes nothing. */
function readPicture(frame: Uint8Array, width: number, height: number): { tick: number; slot: number } | null {
  const bits = Array.from({ length: COLUMNS * ROWS }, (_, index) => {
    const x = Math.floor((((index % COLUMNS) + 0.5) * width) / COLUMNS);
    const y = Math.floor(((Math.floor(index / COLUMNS) + 0.5) * height) / ROWS);
    return (frame[(y * width + x) * 4 + 1] ?? 0) > (DARK + LIGHT) / 2 ? 1 : 0;
  });
  const number = (from: number, length: number): number =>
    bits.slice(from, from + length).reduce<number>((sum, bit, index) => sum + bit * 2 ** index, 0);
  const tick = number(0, TICK_BITS) / 16;
  const slot = number(TICK_BITS, SLOT_BITS);
  return bits.join('') === bitsOf(tick, slot).join('') ? { tick, slot } : null;
}

/** Returns a grey picture as the game writes it: 24 bits from the bottom up, or 32 from the top down. */
export function tgaOf(picture: Uint8Array, width: number, height: number, isBottomUp: boolean): Uint8Array {
  const depth = isBottomUp ? 3 : 4;
  const file = Buffer.alloc(18 + picture.length * depth, 255);
  file.fill(0, 0, 18);
  file[2] = 2;
  file.writeUInt16LE(width, 12);
  file.writeUInt16LE(height, 14);
  file[16] = depth * 8;
  file[17] = isBottomUp ? 0 : 0x28;
  for (let y = 0; y < height; y++) {
    let at = 18 + (isBottomUp ? height - 1 - y : y) * width * depth;
    for (let x = 0; x < width; x++, at += depth) {
      const grey = picture[y * width + x] ?? 0;
      file[at] = grey;
      file[at + 1] = grey;
      file[at + 2] = grey;
    }
  }
  return file;
}

const RATE = 8000;

/** Mono, 16 bits: a tick of noise each eighth of a second, or nothing. */
export function wavOf(seconds: number, kind: string): Uint8Array {
  const samples = Math.round(seconds * RATE);
  const data = Buffer.alloc(samples * 2);
  if (kind !== 'silent')
    for (let i = 0; i < samples; i++) data.writeInt16LE(i % 1000 < 100 ? (i % 40) * 400 : 1, i * 2);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

export interface TakeFormat {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  /** Half the size that was asked for. */
  readonly isWrong: boolean;
}

/**
 * Encodes like HLAE's ffmpeg: `codec` has its options and, between `{QUOTE}`, the file. Resolves with the error, or
 * null.
 */
export function encodeTake(codec: string, frames: readonly Uint8Array[], format: TakeFormat) {
  // HLAE brings its own. Searching for the host's takes a second.
  const { path: ffmpegPath } = createRequire(import.meta.url)('@ffmpeg-installer/ffmpeg') as { path: string };
  const { width, height, fps, isWrong } = format;
  const size = `${width}x${height}`;
  const input = ['-f', 'rawvideo', '-pixel_format', 'gray', '-video_size', size, '-framerate', `${fps}`, '-i', '-'];
  const [options = '', path = ''] = codec.split('{QUOTE}');
  const wrong = isWrong ? ['-vf', `scale=${width / 2}:${height / 2}`] : [];
  const output = [...wrong, ...options.trim().split(' '), path];
  const video = spawnSync(ffmpegPath, ['-v', 'error', '-y', ...input, ...output], { input: Buffer.concat(frames) });
  return video.status === 0 ? null : video.stderr.toString();
}

/**
 * Reads tick and player from each frame of a recording. Returns what is wrong: frames that show another player while
 * the right one lives, or are a frame of the film and a tick or more off the clock, or earlier than their shot.
 */
export async function wrongFrames(
  recorded: CaptureResult & { readonly ok: true },
  match: Match,
  shots: readonly Shot[],
  { fps, width, height }: Pick<CaptureOptions, 'fps' | 'width' | 'height'>,
  filmFps = fps,
): Promise<string[]> {
  const clock = createClipClock(shots, match.tickRate, fps);
  const wrong: string[] = [];
  const most = match.tickRate / filmFps + 1;
  let index = 0;
  for await (const frame of recorded.source.frames(new AbortController().signal)) {
    const { shotIndex, tick } = clock.at(index);
    const shot = shots[shotIndex];
    const seats = match.players[shot?.pov ?? 0]?.seats ?? [];
    const slot = seats.findLast(({ sinceTick }) => sinceTick <= tick)?.slot;
    const seen = readPicture(frame, width, height);
    const off = Math.abs((seen?.tick ?? Infinity) - tick);
    const isDead = playerAt(match, shot?.pov ?? 0, tick + most)?.alive !== true;
    const isEarly = (seen?.tick ?? 0) < (shot?.startTick ?? 0);
    if ((seen?.slot !== slot && !isDead) || off > most || isEarly) {
      wrong.push(`frame ${index} of shot ${shotIndex}: ${JSON.stringify(seen)} instead of ${slot} at ${tick}`);
    }
    index++;
  }
  if (index !== clock.frameCount) wrong.push(`${index} of ${clock.frameCount} frames`);
  return wrong;
}

export async function expectTicks(
  recorded: CaptureResult,
  match: Match,
  shots: readonly Shot[],
  options: Pick<CaptureOptions, 'fps' | 'width' | 'height'>,
  filmFps = options.fps,
): Promise<void> {
  if (!recorded.ok) throw new Error(`${recorded.code}: ${recorded.detail}`);
  expect(await wrongFrames(recorded, match, shots, options, filmFps)).toEqual([]);
}
