/** Fake files of a clip: valid at both ends, where the service looks, and noise between. */

/** Returns a fake MP4: `ftyp`, an empty `moov`, then `mdat`. */
export function standInMp4(bytes: number, step = 31): Uint8Array<ArrayBuffer> {
  const file = noise(bytes, step);
  const view = new DataView(file.buffer);
  const box = (at: number, size: number, type: string) => {
    view.setUint32(at, size);
    for (let i = 0; i < 4; i++) view.setUint8(at + 4 + i, type.charCodeAt(i));
  };
  box(0, 16, 'ftyp');
  box(16, 8, 'moov');
  box(24, bytes - 24, 'mdat');
  return file;
}

/** Returns a fake JPEG with its first and last markers. */
export function standInJpeg(bytes: number, step = 7): Uint8Array<ArrayBuffer> {
  const file = noise(bytes, step);
  file.set([0xff, 0xd8, 0xff, 0xe0]);
  file.set([0xff, 0xd9], bytes - 2);
  return file;
}

function noise(bytes: number, step: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: bytes }, (_, i) => (i * step + (i >> 8)) & 0xff);
}
