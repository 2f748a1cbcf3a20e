import * as z from 'zod';

/** Whose name, address, picture and colour viewers see: the deployment's, or an account's own for its clips. */
export const BrandShape = z.object({
  /** Empty for no name. */
  name: z.string(),
  /** Where the name leads to. */
  url: z.string().nullable().exactOptional(),
  /** The path of a picture of the service instead of the icon, and of the name in the head of a page. */
  logo: z.string().nullable().exactOptional(),
  /** As `#rrggbb`. */
  colour: z.string().nullable().exactOptional(),
});
export type Brand = Readonly<z.infer<typeof BrandShape>>;

/** What pages of operators and developers show, and those of viewers where nothing else is set. */
export const PRODUCT: Brand = { name: 'Tickreel', url: '/' };

/** The least contrast of text (WCAG 2.2, 1.4.3). */
const LEAST = 4.5;

/** The dark and the light text on a colour. */
const TEXTS = ['#0b1016', '#ffffff'] as const;

/** The lightest or darkest background of each theme in page.css, and the colour of its text. */
const THEMES = { dark: ['#1c2530', '#eef3f8'], light: ['#e9edf2', '#131a22'] } as const;

/** Returns the colours of a page: the given one, text on it, and the given one as text in each theme. */
export function coloursOf(brand: string): Readonly<Record<'brand' | 'text' | keyof typeof THEMES, string>> {
  const [dark, light] = TEXTS;
  const text = contrast(brand, dark) > contrast(brand, light) ? dark : light;
  return { brand, text, dark: legible(brand, ...THEMES.dark), light: legible(brand, ...THEMES.light) };
}

/** Returns why a colour cannot be a brand's; null if it can. */
export function colourFault(colour: string): string | null {
  const { text } = coloursOf(colour);
  const reached = contrast(colour, text);
  if (reached >= LEAST) return null;
  return `has a contrast of ${(Math.floor(reached * 100) / 100).toFixed(2)} to the text on it, ${text}: ${LEAST} is the least`;
}

/** Mixes a colour with that of the text, by sixteenths, until it can be read. */
function legible(colour: string, background: string, text: string): string {
  const of = bytesOf(text);
  for (let part = 0; ; part++) {
    const mixed = bytesOf(colour).map((byte, i) => Math.round(byte + ((of[i] ?? 0) - byte) * (part / 16)));
    const hex = `#${mixed.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
    if (part === 16 || contrast(hex, background) >= LEAST) return hex;
  }
}

/** WCAG 2.2, "contrast ratio". */
export function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** WCAG 2.2, "relative luminance". */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = bytesOf(colour).map((byte) => {
    const part = byte / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const bytesOf = (colour: string): number[] => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
