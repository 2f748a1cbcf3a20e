import { describe, expect, it } from 'vitest';
import { colourFault, coloursOf, contrast } from '#domain/account/brand.ts';
import { PAGE_STYLES } from '#src/page/page-styles.ts';

const STEPS = Array.from({ length: 16 }, (_, i) => (i * 17).toString(16).padStart(2, '0'));
const COLOURS = STEPS.flatMap((red) => STEPS.flatMap((green) => STEPS.map((blue) => `#${red}${green}${blue}`)));
/** The backgrounds of the themes. */
const DARK = ['#0b1016', '#141b24', '#1c2530'];
const LIGHT = ['#f3f5f8', '#ffffff', '#e9edf2'];

describe('the colour of a brand', () => {
  it.each([
    ['#000000', '#ffffff', 21],
    ['#777777', '#ffffff', 4.48],
    ['#767676', '#ffffff', 4.54],
  ])('%s on %s has the contrast that WCAG gives', (one, other, ratio) => {
    expect(contrast(one, other)).toBeCloseTo(ratio, 1);
    expect(contrast(other, one)).toBe(contrast(one, other));
  });

  it('can be read in both themes, and the text on it too, or it is refused with the reason', () => {
    for (const colour of [...DARK, ...LIGHT.filter((one) => one !== '#ffffff')]) expect(PAGE_STYLES).toContain(colour);
    let refused = 0;
    for (const colour of COLOURS) {
      const { text, dark, light } = coloursOf(colour);
      const isLegible = contrast(text, colour) >= 4.5;
      expect(colourFault(colour) === null, colour).toBe(isLegible);
      for (const background of DARK) expect(contrast(dark, background), colour).toBeGreaterThanOrEqual(4.5);
      for (const background of LIGHT) expect(contrast(light, background), colour).toBeGreaterThanOrEqual(4.5);
      if (!isLegible) refused++;
    }
    expect(refused).toBeGreaterThan(10);
    expect(colourFault('#777777')).toBe('has a contrast of 4.47 to the text on it, #ffffff: 4.5 is the least');
  });

  it('stays as it is where it can be read', () => {
    expect(coloursOf('#1f4fbf')).toEqual({
      brand: '#1f4fbf',
      text: '#ffffff',
      dark: expect.any(String),
      light: '#1f4fbf',
    });
    expect(coloursOf('#ffb454')).toMatchObject({ text: '#0b1016', dark: '#ffb454' });
  });
});
