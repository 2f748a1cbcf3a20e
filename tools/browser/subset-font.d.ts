/** The part of `subset-font` 2.9.0 (JavaScript without types) that `build-fonts.ts` uses. */
declare module 'subset-font' {
  /** Returns a font file with the characters of `text`. */
  const subsetFont: (
    font: Uint8Array,
    text: string,
    options: { readonly targetFormat: 'woff2' },
  ) => Promise<Uint8Array>;
  export = subsetFont;
}
