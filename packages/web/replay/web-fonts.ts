/** The characters of the shipped faces in two parts, as CSS writes them: what all pictures need, and what names may. */
export const FONT_PARTS = {
  latin: 'U+0-17F, U+2010-2026, U+20AC, U+2122',
  more: 'U+180-52F, U+1D00-200F, U+2027-206F, U+20A0-20AB, U+20AD-20BF, U+2100-2121, U+2123-218F',
} as const;

/** The names of the files of a face begin with these: `text-latin.woff2`. */
export const FONT_FILES = { 'Tickreel Text': 'text', 'Tickreel Display': 'display' } as const;
