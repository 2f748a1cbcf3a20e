import { createCanvas } from '@napi-rs/canvas';
import { expect, test } from 'vitest';
import { useHostCanvas } from '#render-host/drawing/host-canvas.ts';
import { ITEM_OF_CLASS } from '#render-host/match/item-classes.ts';
import { drawWeaponGlyph } from '#scene/drawing/weapon-glyphs.ts';

useHostCanvas();

test('everything that players carry or throw is drawn as what it is', () => {
  const pixels = (weapon: string): string => {
    const canvas = createCanvas(120, 32);
    drawWeaponGlyph(canvas.getContext('2d'), weapon, 0, 2, 28);
    return canvas.data().toString('base64');
  };
  const unknown = pixels('world');
  const plain = /^(glock|hkp2000|p250|fiveseven|cz75a)$/;
  const drawn = new Map<string, string>();
  for (const item of [...Object.values(ITEM_OF_CLASS), 'knife_karambit', 'inferno', 'planted_c4', 'defuser']) {
    const glyph = pixels(item);
    expect([item, glyph === unknown]).toEqual([item, false]);
    if (plain.test(item)) continue;
    const same = drawn.get(glyph);
    if (same !== undefined)
      expect(`${same} ${item}`).toMatch(/^(c4 planted_c4|g3sg1 scar20|knife knife_karambit|molotov inferno)$/);
    drawn.set(glyph, item);
  }
});
