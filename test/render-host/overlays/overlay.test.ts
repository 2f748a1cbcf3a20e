import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { FONT, font, registerFonts } from '../../../render-host/drawing/fonts/fonts.ts';
import { killMarks } from '../../../render-host/drawing/kill-marks.ts';
import { drawableName, fitText } from '../../../render-host/drawing/text.ts';
import { weaponName } from '../../../render-host/drawing/weapon-names.ts';
import type { FrameSource } from '../../../render-host/frames/frame-source.ts';
import { killsLabel } from '../../../render-host/overlays/title-card.ts';
import { loadWatermark, withWatermark } from '../../../render-host/overlays/watermark.ts';
import { buildKill, buildShot } from '../builders.ts';

describe('names', () => {
  it('lose what cannot be drawn or would disturb what is around it', () => {
    expect(drawableName('\u202eab\ue000c\u200b')).toBe('abc');
    expect(drawableName(`a${'\u0301'.repeat(9)}`)).toBe('á\u0301');
    expect(drawableName('Việt Нийлэ 한글')).toBe('Việt Нийлэ 한글');
    expect(drawableName('  two\n words ')).toBe('two words');
    expect(drawableName('\u200b')).toBe('?');
  });

  it('are shortened at whole letters until they fit', () => {
    registerFonts();
    const ctx = createCanvas(1, 1).getContext('2d');
    ctx.font = font(FONT.text, 20);
    const fitted = fitText(ctx, '👩‍👩‍👧‍👦'.repeat(30), 120);
    expect(ctx.measureText(fitted).width).toBeLessThanOrEqual(120);
    expect(fitted).toMatch(/^(👩‍👩‍👧‍👦)+…$/u);
    expect(fitText(ctx, 'short', 120)).toBe('short');
  });

  it('of weapons are what people say', () => {
    expect(weaponName('m4a1_silencer')).toBe('M4A1-S');
    expect(weaponName('knife_karambit')).toBe('Knife');
    expect(weaponName('new_gun')).toBe('NEW GUN');
  });
});

describe('labels of kills', () => {
  it('count over the whole clip', () => {
    const shots = [buildShot({ kills: [buildKill()] }), buildShot({ kills: [buildKill(), buildKill()] }), buildShot()];
    expect(shots.map((_, index) => killsLabel(shots, index))).toEqual(['KILL 1 OF 3', 'KILLS 2–3 OF 3', null]);
  });

  it('name the weapon where there is one kill only', () => {
    const kill = buildKill({ weapon: 'awp', headshot: true });
    expect(killsLabel([buildShot(), buildShot({ kills: [kill] })], 1)).toBe('AWP HEADSHOT');
  });

  it('mark how the kill was made, in the game’s order', () => {
    const kill = buildKill({ headshot: true, wallbang: true, noScope: true, throughSmoke: true, attackerBlind: true });
    expect(killMarks(kill)).toEqual({ before: ['blind'], after: ['noScope', 'smoke', 'wallbang', 'headshot'] });
  });
});

describe('a watermark', () => {
  const image = (): Buffer => {
    const canvas = createCanvas(6, 3);
    const ctx = canvas.getContext('2d');
    ctx.fillStyle = '#ff0000';
    ctx.fillRect(0, 0, 3, 3);
    ctx.fillStyle = 'rgba(0, 0, 255, 0.5)';
    ctx.fillRect(3, 0, 3, 3);
    return canvas.toBuffer('image/png');
  };
  const black: FrameSource = {
    frameCount: 1,
    async *frames() {
      yield new Uint8Array(1920 * 1080 * 4).fill(0);
    },
    frame: async () => new Uint8Array(1920 * 1080 * 4).fill(0),
  };

  it('lies on the top left of each frame, pixel by pixel at 1080 lines, and blends', async () => {
    const source = withWatermark(black, await loadWatermark(image(), 1920, 1080), 1920);
    for await (const frame of source.frames(new AbortController().signal)) {
      expect([...frame.subarray(0, 3)]).toEqual([255, 0, 0]);
      expect(frame[3 * 4 + 2]).toBeGreaterThan(120);
      expect(frame[3 * 4 + 2]).toBeLessThan(135);
      expect([...frame.subarray(6 * 4, 6 * 4 + 3)]).toEqual([0, 0, 0]);
    }
    expect((await source.frame(0))[0]).toBe(255);
    expect((await source.frame(0, 'bare'))[0]).toBe(0);
  });

  it('grows with the resolution, and is cut off where it is larger than the frame', async () => {
    expect(await loadWatermark(image(), 2560, 1440)).toMatchObject({ width: 8, height: 4 });
    const large = createCanvas(3000, 2000).toBuffer('image/png');
    expect(await loadWatermark(large, 1920, 1080)).toMatchObject({ width: 1920, height: 1080 });
  });

  it('that is no image is an error', async () => {
    await expect(loadWatermark(new TextEncoder().encode('no image'), 1920, 1080)).rejects.toThrow();
  });
});
