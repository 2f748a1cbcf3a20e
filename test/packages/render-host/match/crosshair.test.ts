import { encodeCrosshair } from 'csgo-sharecode';
import { expect, it } from 'vitest';
import { readCrosshair } from '#render-host/match/roster.ts';

/** A code of the game, from a demo of 1.41.6.0. */
const PARTRIDGE = 'CSGO-8Qp6t-erQh9-tieBA-YrCqZ-qDZ2Q';
const OWN = {
  ...{ length: 0, red: 1, green: 2, blue: 250, gap: 3, alphaEnabled: false, alpha: 100, outlineEnabled: false },
  ...{ outline: 2, color: 5, thickness: 0, centerDotEnabled: true, splitDistance: 7, followRecoil: false },
  ...{ fixedCrosshairGap: 0, innerSplitAlpha: 1, outerSplitAlpha: 0.5, splitSizeRatio: 0.3, tStyleEnabled: true },
  ...{ deployedWeaponGapEnabled: false, style: 4 },
};

it('reads the crosshair of a share code, in pixels', () => {
  expect(readCrosshair(PARTRIDGE)).toEqual({
    ...{ color: '#32fafa', alpha: 200 / 255, length: 3.6, thickness: 1.4, gap: 2, outline: 1, dot: false, isT: false },
  });
  expect(readCrosshair(encodeCrosshair(OWN))).toEqual({
    ...{ color: '#0102fa', alpha: 1, length: 0, thickness: 1, gap: 7, outline: 0, dot: true, isT: true },
  });
});

it.each([
  '',
  'CSGO-8Qp6t',
  PARTRIDGE.replace('Q', 'R'),
  PARTRIDGE.replace('8', '0'),
  'CSGO-99999-99999-99999-99999-99999',
  PARTRIDGE + PARTRIDGE,
])('reads no crosshair from %j', (code) => {
  expect(readCrosshair(code)).toBeNull();
});
