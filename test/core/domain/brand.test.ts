import { expect, it } from 'vitest';
import { colourFault, coloursOf, contrast } from '#domain/account/brand.ts';
import { PAGE_STYLES } from '#src/page/page-styles.ts';

/** The backgrounds of the themes, the worst one last. */
const DARK = ['#0b1016', '#141b24', '#1c2530'];
const LIGHT = ['#fff', '#f3f5f8', '#e9edf2'];
const STEPS = Array.from({ length: 16 }, (_, i) => (i * 17).toString(16).padStart(2, '0'));
const COLOURS = STEPS.flatMap((red) => STEPS.flatMap((green) => STEPS.map((blue) => `#${red}${green}${blue}`)));

it("a brand's colour can be read in both themes, as can the text on it, or it is refused with the reason", () => {
  expect([contrast('#000000', '#ffffff'), contrast('#767676', '#ffffff')]).toEqual([21, expect.closeTo(4.54)]);
  for (const colour of [...DARK, ...LIGHT]) expect(PAGE_STYLES).toContain(colour);
  for (const colour of COLOURS) {
    const { text, dark, light } = coloursOf(colour);
    expect(colourFault(colour) === null, colour).toBe(contrast(text, colour) >= 4.5);
    expect(contrast(dark, '#1c2530'), colour).toBeGreaterThanOrEqual(4.5);
    expect(contrast(light, '#e9edf2'), colour).toBeGreaterThanOrEqual(4.5);
  }
  expect(colourFault('#777777')).toBe('must have a contrast of at least 4.5 with its text; it has 4.47 with #ffffff');
  expect(coloursOf('#1f4fbf')).toMatchObject({ text: '#ffffff', light: '#1f4fbf' });
  expect(coloursOf('#ffb454')).toMatchObject({ text: '#0b1016', dark: '#ffb454' });
});
