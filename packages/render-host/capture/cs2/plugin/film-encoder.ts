import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { childEnvironment, programEnd, rawFrames } from '../../../machine/program.ts';

/** A picture as the game writes it: uncompressed, three or four bytes a pixel, blue first. */
export interface TgaPicture {
  readonly width: number;
  readonly height: number;
  readonly format: 'bgr24' | 'bgra';
  /** Whether the first row is the bottom one. */
  readonly isBottomUp: boolean;
  readonly pixels: Uint8Array;
}

const HEADER_BYTES = 18;
const UNCOMPRESSED_COLOUR = 2;
const TOP_DOWN = 0x20;

/** Reads a TGA file. Returns null for one that is cut off or of another kind. */
export function readTga(file: Uint8Array): TgaPicture | null {
  if (file.length < HEADER_BYTES) return null;
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const bits = view.getUint8(16);
  const isKnown = view.getUint8(1) === 0 && view.getUint8(2) === UNCOMPRESSED_COLOUR && (bits === 24 || bits === 32);
  if (!isKnown) return null;
  const width = view.getUint16(12, true);
  const height = view.getUint16(14, true);
  const from = HEADER_BYTES + view.getUint8(0);
  const bytes = (width * height * bits) / 8;
  if (bytes === 0 || file.length < from + bytes) return null;
  const isBottomUp = (view.getUint8(17) & TOP_DOWN) === 0;
  return {
    width,
    height,
    format: bits === 24 ? 'bgr24' : 'bgra',
    isBottomUp,
    pixels: file.subarray(from, from + bytes),
  };
}

export interface FilmInput {
  readonly ffmpegPath: string;
  /** The folders that the game may write the film's pictures into, and their name without number and extension. */
  readonly folders: readonly string[];
  readonly name: string;
  readonly fps: number;
  /** Output options of ffmpeg, without the file. */
  readonly codec: string;
  readonly outPath: string;
}

/** Encodes a film's pictures while the game writes them, and deletes them: raw, a minute takes over 20 GB. */
export interface FilmEncoder {
  /**
   * Encodes the pictures that are complete: those before the last one, and all once the film is `over`. Resolves with
   * how many there were.
   */
  advance(over: boolean): Promise<number>;
  /** Ends the file. Resolves with what is wrong with the film, or null. There may be no file then. */
  finish(): Promise<string | null>;
  /** Ends the encoder at once. */
  stop(): void;
}

/** The most frames that one call reads. The rest waits for the next call. */
const BATCH = 120;

export function createFilmEncoder(input: FilmInput): FilmEncoder {
  const { folders, name } = input;
  const isOurs = new RegExp(`(?:^|[/\\\\])${name}(\\d+)\\.tga$`);
  let program: ReturnType<typeof start> | null = null;
  let first: TgaPicture | null = null;
  let next: number | null = null;
  let fault: string | null = null;

  async function waiting(): Promise<{ path: string; number: number }[]> {
    const found = folders.map(async (folder) => {
      const entries = await readdir(folder, { recursive: true }).catch(() => []);
      return entries.flatMap((path) => {
        const number = isOurs.exec(path)?.[1];
        return number === undefined ? [] : [{ path: join(folder, path), number: Number(number) }];
      });
    });
    return (await Promise.all(found)).flat().toSorted((a, b) => a.number - b.number);
  }

  async function take(path: string, number: number): Promise<void> {
    const picture = readTga(await readFile(path));
    if (picture === null) fault ??= `picture ${number} of the film cannot be read`;
    else if (next !== null && number !== next) fault ??= `picture ${next} of the film is missing`;
    else if (first !== null && !isAlike(first, picture)) fault ??= 'the film changes its size';
    next = number + 1;
    if (picture === null || fault !== null) return;
    first ??= picture;
    program ??= start(input, picture);
    // The exit of an encoder is reported elsewhere.
    if (!program.stdin.writable || program.stdin.write(picture.pixels)) return;
    await Promise.race([once(program.stdin, 'drain').catch(() => {}), program.end]);
  }

  return {
    async advance(over) {
      const found = await waiting();
      const complete = (over ? found : found.slice(0, -1)).slice(0, BATCH);
      for (const { path, number } of complete) {
        await take(path, number);
        await rm(path, { force: true });
      }
      return complete.length;
    },
    async finish() {
      program?.stdin.end();
      const failed = (await program?.end) ?? null;
      return fault ?? (failed === null ? null : failed.detail);
    },
    stop: () => program?.kill(),
  };
}

function isAlike(a: TgaPicture, b: TgaPicture): boolean {
  return a.width === b.width && a.height === b.height && a.format === b.format && a.isBottomUp === b.isBottomUp;
}

function start({ ffmpegPath, fps, codec, outPath }: FilmInput, { format, isBottomUp, ...size }: TgaPicture) {
  const input = [...rawFrames(format, size, fps), '-i', 'pipe:0'];
  const output = [...(isBottomUp ? ['-vf', 'vflip'] : []), ...codec.split(/\s+/).filter(Boolean), outPath];
  const child = spawn(ffmpegPath, ['-hide_banner', '-loglevel', 'error', '-nostdin', '-y', ...input, ...output], {
    env: childEnvironment(),
    stdio: ['pipe', 'ignore', 'pipe'],
    windowsHide: true,
  });
  child.stdin.on('error', () => {});
  return { stdin: child.stdin, kill: () => void child.kill('SIGKILL'), end: programEnd(child, 'encoder of footage') };
}
