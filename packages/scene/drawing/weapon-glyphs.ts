import { type Context2D, createCanvas, createPath, type Path } from './canvas.ts';
import { FONT, font, isShipped } from './fonts.ts';
import { kept } from './theme.ts';

/**
 * Silhouettes drawn for this project, muzzle to the right, by the weapon's name: the width of a box 24 high, then the
 * path in it.
 */
const GLYPHS = {
  ak47: '72 M2 8 L15 6 H21 L23 4.5 H43 L45 6 H56 V7 H59 V3.5 H61.5 V7 H70 V9.2 H56 V11 H44 L43.6 12 C44 15.5 45.6 18.2 48.4 20.6 L43.4 23 C39.6 20 37.6 16.4 37.4 12.4 H30 L28.6 13.4 L26.6 19.4 L21.6 18.6 L23.4 12.2 L17 11.6 L4 16.6 L2 15.6 Z',
  m4a1: '72 M2 6.5 H13 V8 H20 L22 6.5 H28 V3.5 H38 V6.5 H43 L44 5.6 H57 V7 H60 V2.8 H62 V7 H70 V9 H57 V11 H44 V12 H40.5 L42.5 21 L36.8 22 L34.8 12.4 H29.4 L27.2 19.2 L22.4 18.2 L24 12 H20 L13 10.4 V14.5 H2 Z',
  m4a1_silencer:
    '80 M2 6.5 H13 V8 H20 L22 6.5 H28 V3.5 H38 V6.5 H43 L44 5.6 H57 V6.6 H60 V5.4 H78 V11 H60 V10 H57 V11 H44 V12 H40.5 L42.5 21 L36.8 22 L34.8 12.4 H29.4 L27.2 19.2 L22.4 18.2 L24 12 H20 L13 10.4 V14.5 H2 Z',
  awp: '84 M2 10 L16 8 H27 L28 7 V5.6 H25 V1.8 H31 L33 3 H41 L43 1.8 H48 V5.6 H45.6 V7 H50 L51 8 H62 V8.4 H78 V7.4 H82 V11.4 H78 V10.4 H62 V12 H44 V17 H37 V12.8 H30 L27 19 L22 18 L24 12.8 L18 12.6 L5 18.4 H2 Z',
  g3sg1:
    '82 M2 8 H14 V9 H26 V7 H29 V5 H26 V1.8 H32 L34 3 H42 L44 1.8 H49 V5 H46 V7 H60 V8.4 H80 V10.6 H60 V12 H46 L48 20.4 H41 L39.6 12.6 H31 L28.4 19.6 L23.4 18.6 L25 12.6 H15 V16 H2 Z',
  glock:
    '40 M3 5 L5 4 H36 L38 5.5 V11 H22.4 C22.4 14.4 20.6 15.4 16.6 15.2 L15 22.5 H5 L7.4 12 L3 10 Z M17 11.4 L17 13.4 C19.4 13.6 20.4 13.2 20.4 11.4 Z',
  usp_silencer:
    '58 M3 5 L5 4 H36 V5.2 H56 V10.8 H36 V11 H22.4 C22.4 14.4 20.6 15.4 16.6 15.2 L15 22.5 H5 L7.4 12 L3 10 Z M17 11.4 L17 13.4 C19.4 13.6 20.4 13.2 20.4 11.4 Z',
  deagle:
    '46 M3 6 L4.4 3 H42 L44 5 V11.4 H24 C24 15.2 22 16.2 17.6 16 L16.4 23 H5 L7.6 12.4 L3 10.6 Z M18.4 11.8 V14 C20.8 14.2 21.9 13.7 21.9 11.8 Z',
  nova: '72 M2 9.6 L17 6 H33 V5.4 H70 V8 H58 V11.6 H42 V9.6 H36 V11.4 H28 L23 13 L18 12.4 L4.6 17 L2 16 Z',
  m249: '80 M2 7 H15 L17 5 H27 V2.6 H38 V5 H48 V6.4 H60 V4 H62.4 V6.6 H78 V9.2 H63 L68 18 L65.6 19.2 L59.6 10.6 H48 V12 H43.6 V21 H31 V12.4 H26 L23.4 18.8 H18.6 L20 12 H15 V14 H2 Z',
  knife:
    '54 M2 13.4 L4 10 L18 11.4 L18.8 8.4 L21 8.8 L20.4 11 L46 8 C49 8.4 51 9.4 52 11 C44 15.6 32 16.6 20.2 15.8 L19.6 18 L17.4 17.6 L17.6 15.4 L4 15.6 Z',
  taser:
    '42 M3 6 H27 V4 H39 V13 H27 V11.6 H20 C20 15.4 18 15.6 16 15.4 L14 22.4 H5 L7.4 12 L3 10 Z M31 6.2 L29 9.2 H31.4 L30.4 11.6 L34.4 8 H32 L33.6 6.2 Z',
  hegrenade:
    '24 M8 3 H14 L20.4 5 L21.4 13 L19.6 13 L18.4 7 L14.6 6 V7.6 C18 8.6 19.4 11 19.4 14.6 C19.4 19.6 16.4 22.6 11.6 22.6 C6.6 22.6 3.6 19.6 3.6 14.6 C3.6 11 5.4 8.4 8.6 7.6 V6 H8 Z',
  flashbang:
    '26 M5 3.4 H11 V5.4 H14 V9 H15.4 V20 H14 V22.6 H4 V20 H2.6 V9 H4 V5.4 H5 Z M2.6 11.4 H15.4 V13 H2.6 Z M2.6 16 H15.4 V17.6 H2.6 Z M20 2 L21 5 L24 3.6 L22.6 6.4 L25.6 7.4 L22.6 8.4 L24 11.2 L21 10 L20 12.8 L19 10 L16.4 11.2 L17.6 8.4 L16.4 7.4 L17.6 6.4 L16.4 3.6 L19 5 Z',
  smokegrenade:
    '26 M6 6.4 H12.4 V8.4 H14.6 V22.6 H3.6 V8.4 H6 Z M3.6 12 H14.6 V14 H3.6 Z M16 7.6 C14 7.4 13.4 4.8 15.2 4 C15 1.6 18.4 0.8 19.4 2.8 C21.4 1.4 24 3.2 23.2 5.4 C25 6.6 24 9.2 22 9 C20.6 10.6 17 10 16 7.6 Z',
  decoy:
    '24 M8 3 H14 L20.4 5 L21.4 13 L19.6 13 L18.4 7 L14.6 6 V7.6 C18 8.6 19.4 11 19.4 14.6 C19.4 19.6 16.4 22.6 11.6 22.6 C6.6 22.6 3.6 19.6 3.6 14.6 C3.6 11 5.4 8.4 8.6 7.6 V6 H8 Z M7 13.6 H16.2 V11.6 L19 14.8 L16.2 18 V16 H7 Z',
  p90: '56 M3 8 L7 5 H34 V3 H42 V5 H46 V7 H54 V10 H46 L44 13 H35 L33.6 20 H27 L28 13.4 H22 C20 17 16 19.6 10 19.6 L4 17.4 Z M8 8 V10 H40 V8 Z',
  elite:
    '62 M3 3 L5 2 H32 L34 3.5 V8 H21 C21 11 19.4 12 16 11.8 L14.6 17.5 H6 L8 9 L3 7.2 Z M28 10 L30 9 H57 L59 10.5 V15 H46 C46 18 44.4 19 41 18.8 L39.6 23.5 H31 L33 16 L28 14.2 Z',
  ssg08:
    '84 M2 11 L14 8.6 H28 L29 7.4 V6.4 H26 V3 H31 L33 3.8 H42 L44 3 H48 V6.4 H45.4 V7.4 H54 L55 8.4 H82 V10.2 H56 V11.6 H43 V15 H37 V12.4 H29 L26 18.4 H21.6 L23.4 12.6 L17 13 L5 17.6 H2 Z',
  galilar:
    '72 M2 7 H16 V8.4 H22 L24 6 H45 L46 4.6 H52 V6 H60 V4 H62.5 V6.6 H70 V9 H56 V11 H46 L45.6 12 C46.4 15.4 48 18 50.8 20.4 L45.8 22.6 C42 19.6 40 16.2 39.4 12.4 H31.4 L29.6 19.6 L24.6 18.8 L26 12.2 H21 L19 11 H6 V15 H2 Z M5 8.6 V9.4 H18 V8.6 Z',
  sg556:
    '72 M2 8 L14 6.6 H22 L24 5.4 H27 V1.4 H38 V5.4 H46 L48 6.4 H58 V5 H60.6 V6.8 H70 V8.8 H58 V11 H44 L43.6 12 C44 15 45.2 17.6 47.6 20 L43 22.4 C39.4 19.6 37.8 16.2 37.4 12.4 H31 L29.2 19.4 L24.2 18.6 L25.6 12.2 H19 L8 15.8 H2 Z',
  famas:
    '62 M2 6 H14 L16 4.4 H20 V1.6 H40 V4.4 H46 V7.4 H60 V9.4 H46 V11.6 H36 L34.6 18.6 H30 L30.6 12 H22 L23 21 H17.4 L16 12.4 L8 13.6 L2 15 Z M23 3.2 V4.6 H37 V3.2 Z',
  aug: '62 M2 8 L12 6.4 H24 L26 4.6 V1.4 H38 V4.6 H42 L44 6.6 H60 V9 H46 L45 10.4 H43.4 L42.4 17 H39 L38.6 11.6 H34 L32 18 H28 L29 12 H21 L22 22 H16 L14.4 13 L4 16 H2 Z',
  tec9: '46 M3 5 H33 V6.4 H44 V9.4 H33 V11 H29 L30 21 H24.8 L24 11.4 H17 L14.6 19.6 H8.6 L10.6 11 H3 Z',
  revolver:
    '46 M3 8 L5 5 L9 4 H20 V2.6 H29 V4 H44 V8.4 H29 L28 11.6 H23 C23 14.8 21.4 15.6 18 15.4 L14 23 L4.6 21 L10 12 L6 9.6 Z',
  mac10: '40 M3 4 H31 V5.6 H38 V8.6 H31 V10.6 H22 L21 22 H14.6 L15 11 H10 C10 13 8.6 13.6 7 13.4 L5.6 10.6 H3 Z',
  mp9: '50 M2 6 H8 V4.6 H34 V6.4 H40 V5.6 H48 V9.6 H40 V11.6 H34 L33 16 H30 V11.6 H25 L25.8 22.4 H20.4 L19.8 11.6 H16 L14 18.4 H9.4 L11 11 H5 V12.6 H2 Z',
  mp7: '46 M2 5.6 H11 V4 H33 V2.4 H36 V5.4 H44 V8.6 H36 V11 H33.4 L33 16.4 H30 L29.6 11.2 H22 L22.8 23 H16.6 L16 11.2 H12 L10 9.6 H5 V12 H2 Z',
  mp5sd:
    '64 M2 6 H12 V7.2 H17 L19 5 H38 V4.4 H62 V10.2 H38 V11.6 H35 C35.2 15 36.4 18 38.4 20.8 L33.6 22.8 C31.2 19.6 29.8 16 29.6 12 H25 L22.8 19.4 H18 L19.4 12 H14 L12 10.2 H6 V14 H2 Z',
  ump45:
    '58 M2 5.6 H14 V4.4 H42 V6 H48 V7 H56 V9.4 H48 V11.6 H36.4 V22.4 H30.6 V12 H25.6 L23 19.8 H18 L19.4 12 H15 L13 10 H6 V14.6 H2 Z',
  bizon:
    '60 M2 6.4 H13 V7.6 H18 L20 5.4 H42 L43 6.6 H58 V8.8 H52 V10 H54 V14.6 H31 V12 H26 L23.6 19.4 H18.6 L20 12 H15 L13 10.4 H6 V14 H2 Z',
  xm1014: '72 M2 8.6 L16 6 H32 V5 H70 V7.4 H64 V10 H42 V11.4 H30 L27.6 18 L22.6 17 L24 11.8 L17 12 L4.6 16.4 L2 15.4 Z',
  mag7: '48 M3 5 H34 V4 H46 V10 H40 V12.6 H30 V10.8 H21.6 L22.4 22.4 H16 L15.2 11 H11 C11 13.4 9.6 14 7.6 13.8 L6 10.6 H3 Z',
  sawedoff: '48 M2 11 L12 6.4 H21 V5 H46 V9.6 H36 V11.4 H26 V10 H20 C20 12.4 18.6 13 16 13 L8 19.6 L2 17 Z',
  negev:
    '80 M2 6.6 H16 L18 5 H28 V2.6 H40 V5 H50 V6.4 H62 V4 H64.4 V6.6 H78 V9 H64 V11 H50 V12 H46 V20.6 H33 V12.4 H27 L24.4 19 H19.4 L21 12 H15 L13 10.4 H6 V15 H2 Z',
  incgrenade:
    '20 M6 2.6 H14 V5 H17 V22.6 H3 V5 H6 Z M10 8.4 C10.6 11.6 13.6 12.8 13.6 16.2 C13.6 18.8 12 20.2 10 20.2 C8 20.2 6.4 18.8 6.4 16.4 C6.4 14 8.8 12.8 10 8.4 Z',
  defuser: '26 M3 3 L6 3 L13 11.4 L20 3 L23 3 L23 5.4 L15.2 13.6 L19 19 L17 22 L13 17 L9 22 L7 19 L10.8 13.6 L3 5.4 Z',
  molotov:
    '22 M11.4 1.4 C12.6 5.8 18.6 8.6 18.6 15 C18.6 19.6 15.4 22.8 11 22.8 C6.6 22.8 3.4 19.6 3.4 15.2 C3.4 11.8 5.4 9.8 6.6 7.4 C7.6 9 8.2 10 8.4 11.4 C10.6 9.2 11.8 5.6 11.4 1.4 Z M11.2 21 C13.4 21 14.8 19.6 14.8 17.6 C14.8 15.6 13 14.4 12 12.6 C11.2 14.6 8 15.2 8 18 C8 19.8 9.2 21 11.2 21 Z',
  c4: '34 M3 6 H31 V21 H3 Z M6 9 V14 H17 V9 Z M20 9 V11 H22 V9 Z M24 9 V11 H26 V9 Z M20 13 V15 H22 V13 Z M24 13 V15 H26 V13 Z M6 16.4 V18.4 H17 V16.4 Z M8 6 C8 2 14 2 14 4 H12.4 C12 3.6 9.8 3.6 9.8 6 Z',
  skull:
    '26 M13 2 C19.4 2 23 6 23 11 C23 14 21.8 16 19.6 17.2 V21.6 H16.6 V19.4 H14.6 V21.6 H11.4 V19.4 H9.4 V21.6 H6.4 V17.2 C4.2 16 3 14 3 11 C3 6 6.6 2 13 2 Z M9 9 C7.2 9 6.2 10 6.2 11.8 C6.2 13.4 7.2 14.2 8.8 14.2 C10.6 14.2 11.6 13.2 11.6 11.6 C11.6 10 10.6 9 9 9 Z M17 9 C15.4 9 14.4 10 14.4 11.6 C14.4 13.2 15.4 14.2 17.2 14.2 C18.8 14.2 19.8 13.4 19.8 11.8 C19.8 10 18.8 9 17 9 Z',
};

type Glyph = keyof typeof GLYPHS;

/** Weapons with the silhouette of another one. */
const LIKE_OTHERS: readonly (readonly [RegExp, Glyph])[] = [
  [/^m4a1_silencer_off$/, 'm4a1'],
  [/^scar20$/, 'g3sg1'],
  [/^(hkp2000|usp_silencer_off|p250|fiveseven|cz75a)$/, 'glock'],
  [/knife|bayonet/, 'knife'],
  [/^inferno$/, 'molotov'],
  [/c4/, 'c4'],
];

interface Silhouette {
  readonly width: number;
  readonly path: Path;
}

const silhouettes = new Map<Glyph, Silhouette>();

const isGlyph = (name: string): name is Glyph => Object.hasOwn(GLYPHS, name);

function silhouetteOf(weapon: string): Silhouette {
  const name = LIKE_OTHERS.find(([pattern]) => pattern.test(weapon))?.[1] ?? weapon;
  const glyph = isGlyph(name) ? name : 'skull';
  return kept(silhouettes, glyph, () => {
    const [width, ...path] = GLYPHS[glyph].split(' ');
    return { width: Number(width), path: createPath(path.join(' ')) };
  });
}

/**
 * Returns the width in pixels of a weapon's glyph that is `height` pixels high. A weapon without a glyph is a skull.
 */
export function weaponGlyphWidth(weapon: string, height: number): number {
  return (silhouetteOf(weapon).width * height) / 24;
}

/** Fills a weapon's silhouette in the context's fill style. x, y is the top left corner. */
export function drawWeaponGlyph(ctx: Context2D, weapon: string, x: number, y: number, height: number): void {
  ctx.save();
  ctx.translate(x, y);
  ctx.scale(height / 24, height / 24);
  ctx.fill(silhouetteOf(weapon).path, 'evenodd');
  ctx.restore();
}

/** Marks and signs that are invisible alone. */
const BY_ITSELF_NOTHING = /^[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]$/u;
const NO_FONT_HAS = '\u{10fffd}';

const known = new Map<string, boolean>();

/** Whether a font has each character of a text: shipped, of a package, or of this machine. */
export function hasGlyphs(text: string): boolean {
  for (const character of text) {
    if (isShipped(character) || BY_ITSELF_NOTHING.test(character)) continue;
    if (!kept(known, character, () => hasGlyph(character))) return false;
  }
  return true;
}

/** Whether a letter looks different from a missing one, and from nothing. */
function hasGlyph(letter: string): boolean {
  const pixels = (text: string): ArrayLike<number> => {
    const ctx = createCanvas(48, 48).getContext('2d', { willReadFrequently: true });
    ctx.font = font(FONT.text, 32, letter);
    ctx.fillText(text, 4, 36);
    return ctx.getImageData(0, 0, 48, 48).data;
  };
  const drawn = Array.from(pixels(letter));
  return [NO_FONT_HAS, ' '].map(pixels).every((other) => drawn.some((value, at) => value !== other[at]));
}
