import * as z from 'zod';

/**
 * A brand: what viewers see of the deployment, or of an account on its clips. `name`: empty for none. `url`: link of
 * the name. `logo`: path of a picture that replaces icon and name. `colour`: the accent, `#rrggbb`.
 */
export const BrandShape = z.object({
  name: z.string(),
  url: z.string().nullable().exactOptional(),
  logo: z.string().nullable().exactOptional(),
  colour: z.string().nullable().exactOptional(),
});
export type Brand = Readonly<z.infer<typeof BrandShape>>;

/** What pages of operators and developers show, and those of viewers where nothing else is set. */
export const PRODUCT: Brand = { name: 'Tickreel', url: '/' };

/** The least contrast of text (WCAG 2.2, 1.4.3). */
const LEAST_CONTRAST = 4.5;

/** The dark and the light text on a colour. */
const TEXTS = ['#0b1016', '#ffffff'] as const;

/** Of each theme in page.css: the background with the least contrast, and the colour of text. */
const THEMES = { dark: ['#1c2530', '#eef3f8'], light: ['#e9edf2', '#131a22'] } as const;

/** Returns the colours of a page: the given one, text on it, and the given one as text in each theme. */
export function coloursOf(brand: string): Readonly<Record<'brand' | 'text' | keyof typeof THEMES, string>> {
  const [dark, light] = TEXTS;
  const text = contrast(brand, dark) > contrast(brand, light) ? dark : light;
  return { brand, text, dark: mixUntilLegible(brand, ...THEMES.dark), light: mixUntilLegible(brand, ...THEMES.light) };
}

/** Returns why a colour cannot be a brand's; null if it can. */
export function colourFault(colour: string): string | null {
  const { text } = coloursOf(colour);
  const reached = Math.floor(contrast(colour, text) * 100) / 100;
  return reached >= LEAST_CONTRAST
    ? null
    : `must have a contrast of at least ${LEAST_CONTRAST} with its text; it has ${reached} with ${text}`;
}

/** Mixes a colour with that of the text, by sixteenths, until it can be read. */
function mixUntilLegible(colour: string, background: string, text: string, part = 0): string {
  const [from, to] = [bytesOf(colour), bytesOf(text)];
  const mixed = from.map((byte, i) => Math.round(byte + ((to[i] ?? 0) - byte) * (part / 16)));
  const hex = `#${mixed.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  return part === 16 || contrast(hex, background) >= LEAST_CONTRAST
    ? hex
    : mixUntilLegible(colour, background, text, part + 1);
}

/** Returns the contrast ratio of two colours, 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** Returns the relative luminance of a colour, 0 to 1 (WCAG 2.2). */
function luminance(colour: string): number {
  const parts = bytesOf(colour).map((byte) => byte / 255);
  const [red = 0, green = 0, blue = 0] = parts.map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const bytesOf = (colour: string): number[] => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
