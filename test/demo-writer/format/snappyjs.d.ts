/** The package ships no types. */
declare module 'snappyjs' {
  const snappy: { compress(data: Uint8Array): Uint8Array };
  export = snappy;
}
