import { frame } from '#demo-writer/format/container.ts';
import { unpack } from '#render-host/source2/frames.ts';
import { framesOf } from './hostile-demos.ts';

/** A number from 0 up to, not including, `most`. */
type Random = (most: number) => number;

/** Numbers that are the same for the same seed: mulberry32. */
function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return (most) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * most);
  };
}

const EXTREMES = [0, 0x7f, 0x80, 0xff];

/** Changes some bytes in place. */
function damage(bytes: Uint8Array, random: Random): Uint8Array {
  if (bytes.length === 0) return bytes;
  for (let times = 1 + random(8); times > 0; times--) {
    const at = random(bytes.length);
    const kind = random(3);
    if (kind === 0) bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    else if (kind === 1) bytes[at] = random(256);
    else bytes.fill(EXTREMES[random(EXTREMES.length)] ?? 0, at, Math.min(bytes.length, at + 1 + random(16)));
  }
  return bytes;
}

/** Changes the unpacked content of a frame, and writes it as a valid frame. */
function damageFrame(file: Buffer, random: Random): Buffer {
  const frames = framesOf(file);
  // The frames before the match determine how all others are read, and are few.
  const found = frames[random(2) === 0 ? random(Math.min(frames.length, 14)) : random(frames.length)];
  if (found === undefined) return file;
  const { command, start, payloadAt, end } = found;
  const isCompressed = ((file[start] ?? 0) & 64) !== 0;
  const packed = file.subarray(payloadAt, end);
  const payload = isCompressed ? unpack(packed) : Uint8Array.from(packed);
  const tick = random(10) === 0 ? random(2 ** 31) : 1 + random(200);
  return Buffer.concat([file.subarray(0, start), frame(command, tick, damage(payload, random)), file.subarray(end)]);
}

/** Moves, doubles or leaves out whole frames. */
function shuffle(file: Buffer, random: Random): Buffer {
  const frames = framesOf(file);
  const [a, b] = [frames[random(frames.length)], frames[random(frames.length)]];
  if (a === undefined || b === undefined) return file;
  const piece = file.subarray(a.start, a.end);
  const without = Buffer.concat([file.subarray(0, a.start), file.subarray(a.end)]);
  const kind = random(3);
  if (kind === 0) return without;
  return Buffer.concat([file.subarray(0, b.start), piece, file.subarray(b.start)]);
}

/** Changes a recording at random, the same for the same seed. */
export function mutateDemo(base: Buffer, seed: number): Buffer {
  const random = randomOf(seed);
  let file: Buffer = Buffer.from(base);
  const kind = random(10);
  if (kind < 2) damage(file, random);
  else if (kind < 8) file = damageFrame(file, random);
  else if (kind < 9) file = shuffle(file, random);
  else file = file.subarray(0, random(file.length));
  return file;
}
