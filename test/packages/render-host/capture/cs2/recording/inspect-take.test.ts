import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checkReserve, checkRoom, findFootage } from '#render-host/capture/cs2/recording/footage-files.ts';
import { inspectTake } from '#render-host/capture/cs2/recording/inspect-take.ts';
import { type Ffmpeg, findFfmpeg } from '#render-host/encode/ffmpeg.ts';
import { buildMatch, buildOptions, buildShot } from '../../../builders.ts';
import { blackPicture, encodeTake, paintPicture, wavOf } from '../pictures.ts';

const SIZE = { width: 320, height: 180 };
const FPS = 10;
const FRAMES = 20;
/** Two seconds in which the player walks. */
const RECORDED = {
  shot: buildShot({ pov: 2, startTick: 64, endTick: 192 }),
  startTick: 64,
  endTick: 192,
  slot: 3,
  fps: FPS,
};
let ffmpeg: Ffmpeg;
beforeAll(async () => {
  ffmpeg = await findFfmpeg(process.env);
});

const moving = (index: number) => paintPicture(SIZE.width, SIZE.height, 64 + index * 6.4, 2);
/** A picture of slow motion: one square in 18 rows of 32 gets a little lighter with each. */
function slow(index: number): Uint8Array {
  const picture = new Uint8Array(SIZE.width * SIZE.height).fill(100);
  for (let y = 0; y < SIZE.height; y++) {
    for (let x = 0; x < SIZE.width; x++) {
      const square = Math.floor(y / 10) * 32 + Math.floor(x / 10);
      if (square < index) picture[y * SIZE.width + x] = 120;
    }
  }
  return picture;
}
const black = () => blackPicture(SIZE.width, SIZE.height);

interface Take {
  readonly frames?: number;
  readonly picture?: (index: number) => Uint8Array;
  readonly isWrong?: boolean;
  readonly sound?: Uint8Array;
  /** Of the film. */
  readonly fps?: number;
}

/** Returns what is wrong with a recorded take. */
async function faultOf({ fps = FPS, frames = fps * 2, picture = moving, isWrong = false, ...rest }: Take = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'take-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [videoPath, soundPath] = [join(folder, 'video.mkv'), join(folder, 'audio.wav')];
  const pictures = Array.from({ length: frames }, (_, index) => picture(index));
  const codec = `-c:v libx264 -preset ultrafast -crf 12 -pix_fmt yuv420p {QUOTE}${videoPath}{QUOTE}`;
  expect(encodeTake(codec, pictures, { ...SIZE, fps, isWrong })).toBe(null);
  await writeFile(soundPath, rest.sound ?? wavOf(2, 'good'));
  const input = { ffmpegPath: ffmpeg.path, match: buildMatch(), options: buildOptions(SIZE) };
  const footage = { recorded: { ...RECORDED, fps }, videoPath, soundPath, bytes: 1 };
  return inspectTake(footage, { ...input, signal: new AbortController().signal });
}

describe('a take may be shipped', () => {
  it.each([
    ['that is as it should be', {}],
    ['that lacks its last frame, or has some more', { frames: FRAMES - 1 }],
    ['that was ended a second late', { frames: FRAMES + FPS }],
    [
      'that is black for a moment',
      { picture: (index: number) => (index === 5 || index === 6 ? black() : moving(index)) },
    ],
    ['that has ten times the frames, each almost the one before', { fps: FPS * 10, picture: slow }],
    ['that stands still for a moment', { picture: (index: number) => moving(index === 6 ? 5 : index) }],
  ] satisfies [string, Take][])('%s', async (_name, take) => {
    expect(await faultOf(take)).toBe(null);
  });
});

describe('a take must not be shipped', () => {
  it.each([
    ['that lost frames', { frames: FRAMES / 2 }, /^the take has 10 of 20 frames$/],
    ['in slow motion', { frames: FRAMES * 4 }, /more than 34 frames instead of 20: its speed is another one/],
    ['of another size', { isWrong: true }, /160×90 instead of 320×180/],
    ['that is black', { picture: (index) => (index > 9 ? black() : moving(index)) }, /black from frame 10 on/],
    ['that stands still', { picture: (index) => moving(Math.min(index, 7)) }, /frozen from frame 7 on/],
    [
      'that stands still in slow motion',
      { fps: 100, picture: (i) => slow(Math.min(i, 70)) },
      /frozen from frame 70 on/,
    ],
    ['whose sound is silent', { sound: wavOf(2, 'silent') }, /sound is silent/],
    ['whose sound ends early', { sound: wavOf(1, 'good') }, /sound lasts 1\.00 of 2 s/],
    ['whose sound is none', { sound: Buffer.from('RIFF....WAVE') }, /sound cannot be read/],
  ] satisfies [string, Take, RegExp][])('%s', async (_name, take, fault) => {
    expect(await faultOf(take)).toMatch(fault);
  });

  it('of which a file is missing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'take-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    expect(await findFootage(folder, RECORDED)).toBe('the game recorded nothing');
    await writeFile(join(folder, 'video.mkv'), 'pictures');
    expect(await findFootage(folder, RECORDED)).toBe('the game recorded no sound');
  });
});

const GIB = 1024 ** 3;
const has = (bytes: number) => async () => bytes;

describe('before a recording', () => {
  const options = buildOptions({ width: 1920, height: 1080 });
  const needed = GIB + 1920 * 1080 * 600 * 0.2;

  it('the disk has to hold the footage and keep a reserve', async () => {
    await checkRoom(has(needed), '/work', options, 600);
    const refused = checkRoom(has(needed - 1), '/work', options, 600);
    await expect(refused).rejects.toMatchObject({ code: 'cs2_unavailable', message: /1261 MiB free.*1261 MiB$/ });
  });

  it('twice the frames, or four times the pixels, need so much more', async () => {
    const wide = { width: 3840, height: 2160 };
    await expect(checkRoom(has(needed), '/work', wide, 600)).rejects.toThrow('recording needs');
    await expect(checkRoom(has(needed), '/work', options, 1200)).rejects.toThrow('recording needs');
    await checkRoom(has(needed * 2 - GIB), '/work', options, 1200);
  });
});

describe('while it goes on', () => {
  it('half of the reserve may be used', async () => {
    await checkReserve(has(GIB / 2), '/work');
    await expect(checkReserve(has(GIB / 2 - 1), '/work')).rejects.toMatchObject({ code: 'cs2_unavailable' });
  });
});
