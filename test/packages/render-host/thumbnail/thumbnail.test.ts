import { createCanvas, loadImage } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import type { FrameSource } from '#render-host/frames/frame-source.ts';
import { findHero, heroLabel } from '#render-host/thumbnail/hero.ts';
import { createStoryboard } from '#render-host/thumbnail/storyboard.ts';
import { renderThumbnail, type ThumbnailInput } from '#render-host/thumbnail/thumbnail.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { buildKill, buildMatch, buildOptions, buildShot } from '../builders.ts';
import { changedPixels, paintedSource, type Region, TOP_RIGHT } from '../frame-checks.ts';

const size = { width: 1280, height: 720 };

function buildInput(
  style: ThumbnailInput['style'],
  kills = [buildKill({ tick: 160, headshot: true })],
): ThumbnailInput {
  const match = buildMatch({ kills });
  const shots: Shot[] = [buildShot({ kills })];
  const options = buildOptions();
  return { source: paintedSource(match, shots, options), match, shots, options, style };
}

async function decode(jpeg: Uint8Array): Promise<Uint8Array> {
  const image = await loadImage(jpeg);
  const canvas = createCanvas(image.width, image.height);
  canvas.getContext('2d').drawImage(image, 0, 0);
  expect([image.width, image.height]).toEqual([size.width, size.height]);
  return canvas.data();
}

/** How many pixels of a region are as bright as the letters of a cover. */
function brightPixels(pixels: Uint8Array, { left, top, right, bottom }: Region): number {
  let bright = 0;
  for (let y = Math.floor(top * size.height); y < bottom * size.height; y++) {
    for (let x = Math.floor(left * size.width); x < right * size.width; x++) {
      const i = (y * size.width + x) * 4;
      if ([0, 1, 2].every((c) => (pixels[i + c] ?? 0) > 170)) bright++;
    }
  }
  return bright;
}

describe('a thumbnail', () => {
  it('is a JPEG of 720 lines at the clip’s aspect, and the same bytes each time', async () => {
    const jpeg = await renderThumbnail(buildInput('full'));
    expect([...jpeg.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
    await decode(jpeg);
    expect(Buffer.compare(jpeg, await renderThumbnail(buildInput('full')))).toBe(0);
  });

  it('in style killfeed is the bare frame with the killfeed at the top right', async () => {
    const none = await decode(await renderThumbnail(buildInput('killfeed', [])));
    const killfeed = await decode(await renderThumbnail(buildInput('killfeed')));
    expect(changedPixels(none, killfeed, size, TOP_RIGHT)).toBeGreaterThan(2000);
  });

  it('in style none is the clip’s own frame', async () => {
    const input = buildInput('none');
    const hero = findHero(input.match, input.shots, input.options.fps);
    const frame = await input.source.frame(hero.frame);
    const jpeg = await decode(await renderThumbnail(input));
    let difference = 0;
    for (let y = 0; y < 360; y++) {
      for (let x = 0; x < 640; x++) {
        const i = (y * 640 + x) * 4;
        const k = (y * 2 * 1280 + x * 2) * 4;
        difference += Math.abs((frame[i + 1] ?? 0) - (jpeg[k + 1] ?? 0));
      }
    }
    expect(difference / (640 * 360)).toBeLessThan(4);
  });

  it('in style none has no title card, wherever in the clip its moment is', async () => {
    const kills = [buildKill({ tick: 90 })];
    const early = { ...buildInput('none', kills), options: buildOptions({ onlyDeathnotices: false }) };
    const source = paintedSource(early.match, early.shots, early.options);
    const title = { left: 0.02, top: 0.77, right: 0.3, bottom: 0.87 };
    const none = await decode(await renderThumbnail({ ...early, source }));
    const bare = await decode(await renderThumbnail({ ...early, source, style: 'killfeed' }));
    expect(changedPixels(none, bare, size, title)).toBeLessThan(50);
  });

  it('in style full has the place, the round and the score of the moment', async () => {
    const kills = [buildKill({ tick: 160 })];
    const outfit = { armor: 0, helmet: false, kit: false, money: 0, weapon: null, items: [] };
    const score = { CT: 8, T: 3 };
    const round = { number: 1, startTick: 0, freezeEndTick: 0, endTick: 300, officialEndTick: null, reason: null };
    const told = buildMatch({
      kills,
      outfits: [{ tick: 0, player: 0, place: 'BombsiteA', ...outfit }],
      rounds: [{ ...round, winner: 'CT', score }],
    });
    const input = buildInput('full', kills);
    const plain = await decode(await renderThumbnail(input));
    const full = await decode(await renderThumbnail({ ...input, match: told }));
    expect(changedPixels(plain, full, size, { left: 0.05, top: 0.86, right: 0.65, bottom: 0.96 })).toBeGreaterThan(
      2000,
    );
  });

  it('in style full has a label at the lower left that the other styles lack', async () => {
    const full = await decode(await renderThumbnail(buildInput('full')));
    const plain = await decode(await renderThumbnail(buildInput('killfeed')));
    const label = { left: 0.03, top: 0.5, right: 0.5, bottom: 0.95 };
    const letters = [full, plain].map((pixels) => brightPixels(pixels, label));
    expect(letters[0]).toBeGreaterThan(20_000);
    expect(letters[1]).toBeLessThan(500);
  });

  it('of a clip without a kill has a label of its own', async () => {
    const none = await decode(await renderThumbnail(buildInput('full', [])));
    const kill = await decode(await renderThumbnail(buildInput('full')));
    const label = { left: 0.03, top: 0.5, right: 0.6, bottom: 0.95 };
    expect(brightPixels(none, label)).toBeGreaterThan(20_000);
    expect(changedPixels(none, kill, size, label)).toBeGreaterThan(10_000);
  });
});

describe('the hero moment', () => {
  const match = buildMatch({ ticks: 6000 });
  const kill = (tick: number, headshot = false) => buildKill({ tick, headshot });

  it('is just after the last kill of the longest streak in the round with most kills', () => {
    const inRound = (round: number, ...ticks: number[]) => ticks.map((tick) => buildKill({ tick, round }));
    const early = inRound(2, 1100);
    const streak = inRound(2, 1700, 1900);
    const late = inRound(2, 2900);
    const shots = [
      buildShot({ startTick: 0, endTick: 300, kills: inRound(1, 100, 150, 200) }),
      buildShot({ startTick: 1000, endTick: 1300, kills: early }),
      buildShot({ startTick: 1600, endTick: 2200, kills: streak }),
      buildShot({ startTick: 2800, endTick: 3300, kills: late }),
    ];
    const hero = findHero(match, shots, 64);
    expect(hero).toMatchObject({ shotIndex: 2, frame: 300 + 300 + 306, kill: streak[1] });
    expect(hero.kills).toEqual([...early, ...streak, ...late]);
    expect(heroLabel(match, hero.kills)).toBe('4K');
  });

  it('counts a kill once that a timeline shows twice, and players apart', () => {
    const again = kill(100);
    const other = buildKill({ attacker: 1, tick: 200 });
    const shots = [again, again, other].map((one) => buildShot({ startTick: 64, endTick: 300, kills: [one] }));
    expect(findHero(match, shots, 30).kills).toEqual([again]);
  });

  it('goes to the headshots, then to the quicker streak, among streaks as long', () => {
    const shots = [
      buildShot({ startTick: 0, endTick: 400, kills: [kill(100), kill(300)] }),
      buildShot({ startTick: 1000, endTick: 1400, kills: [kill(1100, true), kill(1300)] }),
      buildShot({ startTick: 2000, endTick: 2400, kills: [kill(2100, true), kill(2200)] }),
    ];
    expect(findHero(match, shots, 30).shotIndex).toBe(2);
  });

  it('is at a tick that was asked for, in the film of slow and cut shots, with the kills of its round', () => {
    const [first, second] = [kill(1050), kill(1250)];
    const speeds = [{ tick: 1000, speed: 0.5 }];
    const shots = [
      buildShot({ startTick: 0, endTick: 640 }),
      buildShot({ startTick: 1000, endTick: 1100, kills: [first], speeds }),
      buildShot({ startTick: 1200, endTick: 1300, kills: [second] }),
    ];
    const kills = [first, second];
    const at = (tick: number) => findHero(match, shots, 64, tick);
    expect(at(320)).toEqual({ shotIndex: 0, frame: 320, tick: 320, kill: null, kills: [] });
    expect(at(1020)).toEqual({ shotIndex: 1, frame: 640 + 40, tick: 1020, kill: first, kills });
    expect(at(1299)).toEqual({ shotIndex: 2, frame: 640 + 200 + 99, tick: 1299, kill: second, kills });
    for (const cut of [640, 1150, 1300]) expect(at(cut)).toEqual(findHero(match, shots, 64));
  });

  it('is the middle of a clip without a kill', () => {
    expect(findHero(match, [buildShot({ startTick: 0, endTick: 640 })], 30)).toEqual({
      shotIndex: 0,
      frame: 150,
      tick: 320,
      kill: null,
      kills: [],
    });
  });

  it.each([
    [[], 'HIGHLIGHT'],
    [[buildKill()], '1 KILL'],
    [[buildKill({ headshot: true })], 'HEADSHOT'],
    [[buildKill({ headshot: true, noScope: true })], 'NO SCOPE'],
    [[buildKill({ weapon: 'knife_t' })], 'KNIFE'],
    [[buildKill(), buildKill()], '2K'],
    [[5, 6, 7, 8].map((victim) => buildKill({ victim })), '4K'],
    [[5, 6, 7, 8, 9].map((victim) => buildKill({ victim })), 'ACE'],
    [[5, 6, 7, 8, 5].map((victim) => buildKill({ victim })), '5K'],
  ])('%# is called %s', (kills, label) => {
    expect(heroLabel(match, kills)).toBe(label);
  });

  it('is no ace while enemies are left', () => {
    const crowd = buildMatch({ ticks: 200, players: Array.from({ length: 16 }, () => ({})) });
    const kills = [8, 9, 10, 11, 12].map((victim) => buildKill({ victim }));
    expect(heroLabel(crowd, kills)).toBe('5K');
  });
});

describe('a storyboard', () => {
  const whole = { width: 64, height: 36, fps: 10 };
  /** Frames that are each of one shade, and brighter one by one. */
  const brightening = (frameCount: number, failsAt = -1): FrameSource => ({
    frameCount,
    async *frames() {
      for (let i = 0; i < frameCount; i++) {
        const shade = Math.round((255 * i) / frameCount);
        // As the radar's threads hand them over.
        const pixels = new Uint8Array(new SharedArrayBuffer(64 * 36 * 4));
        for (let at = 0; at < pixels.length; at++) pixels[at] = at % 4 === 3 ? 255 : shade;
        yield i === failsAt ? pixels.subarray(1) : pixels;
      }
    },
    frame: () => Promise.reject(new Error('nobody asks')),
  });
  const drain = async (source: FrameSource) => {
    let frames = 0;
    for await (const _ of source.frames(new AbortController().signal)) frames++;
    return frames;
  };

  it('has a picture each half second, in rows, of the frames on their way to the encoder', async () => {
    const { source, finish } = createStoryboard(brightening(100), whole);
    expect(await drain(source)).toBe(100);
    const { jpeg, ...board } = await finish();
    expect(board).toEqual({ columns: 6, rows: 4, intervalSeconds: 0.5 });
    const image = await loadImage(jpeg);
    expect([image.width, image.height]).toEqual([6 * 256, 4 * 144]);
    const canvas = createCanvas(image.width, image.height);
    canvas.getContext('2d').drawImage(image, 0, 0);
    const pixels = canvas.data();
    for (let picture = 0; picture < 20; picture++) {
      const [x, y] = [(picture % 6) * 256 + 128, Math.floor(picture / 6) * 144 + 72];
      expect(pixels[(y * image.width + x) * 4] ?? 0).toBeCloseTo((255 * picture * 5) / 100, -1);
    }
  });

  it('has sixty pictures at most, and one of a clip of one frame', async () => {
    const long = createStoryboard(brightening(1234), whole);
    await drain(long.source);
    expect(await long.finish()).toMatchObject({ columns: 6, rows: 10, intervalSeconds: 2.1 });
    const short = createStoryboard(brightening(1), whole);
    await drain(short.source);
    expect(await short.finish()).toMatchObject({ columns: 1, rows: 1 });
  });

  it('that cannot be drawn costs the clip no frame', async () => {
    const { source, finish } = createStoryboard(brightening(30, 5), whole);
    expect(await drain(source)).toBe(30);
    await expect(finish()).rejects.toThrow();
  });
});
