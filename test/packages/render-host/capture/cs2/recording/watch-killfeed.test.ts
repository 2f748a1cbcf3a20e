import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { createRandom } from '#demo-writer/script/random.ts';
import { decodeFrames } from '#render-host/capture/cs2/recording/footage-files.ts';
import { type KillfeedVerdict, watchKillfeed } from '#render-host/capture/cs2/recording/watch-killfeed.ts';
import { useHostCanvas } from '#render-host/drawing/host-canvas.ts';
import { type Ffmpeg, findFfmpeg } from '#render-host/encode/ffmpeg.ts';
import { FONT, font } from '#scene/drawing/fonts.ts';
import { buildKill, buildMatch, buildShot } from '../../../builders.ts';
import { encodeTake } from '../pictures.ts';

const [WIDTH, HEIGHT, FPS, RATE] = [960, 540, 30, 64];
const UNIT = HEIGHT / 1080;
const FEED_HEIGHT = 300;
const PIXELS_PER_DEGREE = WIDTH / 106;
const SHOT = { startTick: 768, endTick: 1024 };
/** More with `KILLFEED_RUNS`; each is a take with and one without notices. */
const RUNS = Number(process.env.KILLFEED_RUNS ?? 2);
useHostCanvas();
let ffmpeg: Ffmpeg;
beforeAll(async () => {
  ffmpeg = await findFfmpeg(process.env);
});

type Random = ReturnType<typeof createRandom>;

/** Returns a view all around: shades, walls with sharp edges, bars, and grain. Grey, one byte a pixel. */
function paintWorld(random: Random) {
  const width = Math.round(360 * PIXELS_PER_DEGREE);
  const pixels = new Uint8Array(width * HEIGHT);
  const canvas = createCanvas(width, HEIGHT);
  const ctx = canvas.getContext('2d');
  const shade = () => `rgb(0 ${random.whole(20, 240)} 0)`;
  ctx.fillStyle = shade();
  ctx.fillRect(0, 0, width, HEIGHT);
  for (let i = 0; i < 250; i++) {
    ctx.fillStyle = shade();
    ctx.fillRect(random.whole(0, width), random.whole(0, HEIGHT), random.whole(2, 200), random.whole(2, HEIGHT));
  }
  const grain = random.whole(0, 60);
  const drawn = ctx.getImageData(0, 0, width, HEIGHT).data;
  for (let i = 0; i < pixels.length; i++) pixels[i] = (drawn[i * 4 + 1] ?? 0) + (random.next() - 0.5) * grain;
  /** Returns the picture from a column on. */
  return (from: number): Uint8Array => {
    const picture = new Uint8Array(WIDTH * HEIGHT);
    const first = ((from % width) + width) % width;
    for (let y = 0; y < HEIGHT; y++) {
      const row = pixels.subarray(y * width, (y + 1) * width);
      const part = row.subarray(first, first + WIDTH);
      picture.set(part, y * WIDTH);
      picture.set(row.subarray(0, WIDTH - part.length), y * WIDTH + part.length);
    }
    return picture;
  };
}

/** Returns the view's direction at each tick: it holds, sweeps and flicks. */
function turnHead(random: Random): Float32Array {
  const yaws = new Float32Array(1200);
  let speed = 0;
  for (let tick = 1, left = 0; tick < yaws.length; tick++, left--) {
    if (left <= 0) {
      left = random.whole(6, 60);
      speed = random.pick([0, 0, 0.05, -0.3, 0.6, 1.5, -1.5, 5]);
      if (Math.abs(speed) > 2) left = random.whole(4, 12);
    }
    yaws[tick] = (yaws[tick - 1] ?? 0) + speed;
  }
  return yaws;
}

/** Draws a notice as the game's style sheet does: black with a red frame, or a veil over the view. */
function paintNotice(ctx: SKRSContext2D, names: readonly string[], top: number, alpha: number, isOwn: boolean): void {
  ctx.globalAlpha = alpha;
  ctx.font = font(FONT.text, 16 * UNIT);
  const [widths, weapon] = [names.map((name) => Math.min(ctx.measureText(name).width, 160 * UNIT)), 60 * UNIT];
  const width = widths.reduce((sum, one) => sum + one, weapon + 32 * UNIT);
  const left = WIDTH - 10 * UNIT - width;
  ctx.fillStyle = isOwn ? '#000000e7' : '#00000080';
  ctx.fillRect(left, top, width, 33 * UNIT);
  if (isOwn) {
    ctx.strokeStyle = '#e10000';
    ctx.lineWidth = 2 * UNIT;
    ctx.strokeRect(left, top, width, 33 * UNIT);
  }
  let x = left + 10 * UNIT;
  for (const [i, name] of names.entries()) {
    ctx.fillStyle = i === 0 ? '#6f9ce6' : '#eabe54';
    ctx.fillText(name, x, top + 23 * UNIT, 160 * UNIT);
    x += (widths[i] ?? 0) + 6 * UNIT;
    if (i > 0) continue;
    ctx.fillStyle = '#ffffff';
    ctx.fillRect(x, top + 10 * UNIT, weapon, 8 * UNIT);
    ctx.fillRect(x + weapon / 2, top + 10 * UNIT, 8 * UNIT, 16 * UNIT);
    x += weapon + 6 * UNIT;
  }
  ctx.globalAlpha = 1;
}

const ease = (part: number): number => 1 - (1 - Math.min(Math.max(part, 0), 1)) ** 2;

/** Records a shot with such kills, encodes it like a take, and judges it. */
async function judge(seed: number, hasFeed: boolean): Promise<KillfeedVerdict> {
  const random = createRandom(seed);
  const world = paintWorld(random);
  const yaws = turnHead(random);
  const isMarked = random.next() < 0.5;
  const others = Array.from({ length: random.whole(0, 4) }, () => random.whole(100, 1000));
  const own = Array.from({ length: random.whole(0, 2) }, () => random.whole(780, 890));
  const kills = [...others, ...own, 896]
    .toSorted((a, b) => a - b)
    .map((tick, i) => buildKill({ tick, attacker: others.includes(tick) ? 3 : 2, victim: 5 + (i % 5) }));
  const stand = (_: number, tick: number) => ({ x: 0, y: 0, yaw: yaws[tick] ?? 0 });
  const match = { ...buildMatch({ ticks: 1200, stand }), kills };
  const counted = kills.filter(({ attacker, tick }) => attacker === 2 && tick > 768);
  const shot = buildShot({ ...SHOT, pov: 2, kills: counted });
  const names = Array.from({ length: 10 }, () => 'abcdefghijklmnop'.slice(0, random.whole(1, 16)));
  const ctx = createCanvas(WIDTH, FEED_HEIGHT).getContext('2d');
  const late = random.next() / FPS;
  const pictures: Uint8Array[] = [];
  for (let frame = 0; frame < ((SHOT.endTick - SHOT.startTick) / RATE) * FPS; frame++) {
    const tick = SHOT.startTick + (frame / FPS + late) * RATE;
    const picture = world(Math.round((yaws[Math.floor(tick)] ?? 0) * PIXELS_PER_DEGREE));
    ctx.clearRect(0, 0, WIDTH, FEED_HEIGHT);
    let top = 75 * UNIT;
    for (const { tick: at, attacker, victim } of hasFeed ? kills : []) {
      const age = (tick - at) / RATE;
      const life = attacker === 2 && isMarked ? 7.5 : 5;
      if (age < 0 || age > life + 1.2) continue;
      const alpha = ease(age / 0.2) * (1 - ease(age - life));
      paintNotice(ctx, [names[attacker ?? 0] ?? '', names[victim] ?? ''], top, alpha, attacker === 2 && isMarked);
      top += 36 * UNIT * (1 - ease((age - life - 1) / 0.2));
    }
    const { data } = ctx.getImageData(0, 0, WIDTH, FEED_HEIGHT);
    for (let i = 0; i < WIDTH * FEED_HEIGHT; i++) {
      const alpha = (data[i * 4 + 3] ?? 0) / 255;
      picture[i] = (picture[i] ?? 0) * (1 - alpha) + (data[i * 4 + 1] ?? 0) * alpha;
    }
    pictures.push(picture);
  }
  const folder = await mkdtemp(join(tmpdir(), 'killfeed-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'video.mkv');
  const codec = `-c:v libx264 -preset ultrafast -crf 12 -pix_fmt yuv420p {QUOTE}${path}{QUOTE}`;
  expect(encodeTake(codec, pictures, { width: WIDTH, height: HEIGHT, fps: FPS, isWrong: false })).toBe(null);
  const size = { width: WIDTH, height: HEIGHT };
  const watch = watchKillfeed({ match, shot, ...size, fps: FPS });
  const frames = decodeFrames({ ffmpegPath: ffmpeg.path, path, ...size, limit: 1000 }, new AbortController().signal);
  let index = 0;
  for await (const picture of frames) watch.look(picture, index++);
  await rm(folder, { recursive: true });
  return watch.verdict();
}

it('a killfeed that is there is never missed, and one that is not is mostly found missing', {
  timeout: 3_600_000,
}, async () => {
  const seed = Number(process.env.MODEL_SEED) % 1e6;
  const found: Record<string, number> = {};
  for (let run = 0; run < RUNS; run++) {
    for (const hasFeed of [true, false]) {
      const verdict = await judge(seed + run, hasFeed);
      expect([hasFeed, verdict], `seed ${seed + run}`).not.toEqual([true, 'missing']);
      const kind = `${hasFeed ? 'with' : 'without'} notices: ${verdict}`;
      found[kind] = (found[kind] ?? 0) + 1;
    }
  }
  if (RUNS > 2) process.stdout.write(`${JSON.stringify(found)}\n`);
  expect(found['without notices: missing'] ?? 0).toBeGreaterThan(RUNS / 4);
});
