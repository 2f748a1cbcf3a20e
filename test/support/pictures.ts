import { crc32 } from '#domain/lib/file-headers.ts';

/** Complete files of 4×3 pixels, written by Pillow. */
export const PICTURES = {
  /** The left half is red, the right half blue at half its strength. */
  png: decode(
    'iVBORw0KGgoAAAANSUhEUgAAAAQAAAADCAYAAAC09K7GAAAAHUlEQVR42mXIsQEAAAQDsPC5y2snYyoESgba8WIBnRQDhbspRZIAAAAASUVORK5CYII=',
  ),
  jpeg: decode(
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACgcHiMeGSgjISMtKygwPGRBPDc3PHtYXUlkkYCZlo+AjIqgtObDoKrarYqMyP/L2u71////m8H////6/+b9//j/wAALCAADAAQBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAABf/EABcQAAMBAAAAAAAAAAAAAAAAAAABAzL/2gAIAQEAAD8AOptn/9k=',
  ),
  progressiveJpeg: decode(
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACgcHiMeGSgjISMtKygwPGRBPDc3PHtYXUlkkYCZlo+AjIqgtObDoKrarYqMyP/L2u71////m8H////6/+b9//j/wgALCAADAAQBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAABP/aAAgBAQAAAAE3/8QAFRABAQAAAAAAAAAAAAAAAAAAAAH/2gAIAQEAAQUCr//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEABj8Cf//EABUQAQEAAAAAAAAAAAAAAAAAAAAx/9oACAEBAAE/Iaf/2gAIAQEAAAAQ/wD/xAAVEAEBAAAAAAAAAAAAAAAAAAAAMf/aAAgBAQABPxCr/9k=',
  ),
  lossyWebp: decode(
    'UklGRk4AAABXRUJQVlA4IEIAAACwAgCdASoEAAMABABoJagCdHIAqgDJAP0ABbtZeYgA/uo8MCbf/jtomj6X//oSf9USGR9L/CH2YVQnVoWkyhKwAAA=',
  ),
  losslessWebp: decode('UklGRiAAAABXRUJQVlA4TBMAAAAvA4AAEA8Q+z//D/yPCmWI6H8AAA=='),
  /** Lossy, with its alpha in a chunk of its own. */
  extendedWebp: decode(
    'UklGRnQAAABXRUJQVlA4WAoAAAAQAAAAAwAAAgAAQUxQSAwAAAABD/DA/4iIUIaI/gdWUDggQgAAALACAJ0BKgQAAwAEAGglqAJ0cgCqAMkA/QAFu1l5iAD+6jwwJt/+O2iaPpf/+hJ/1RIZH0v8IfZhVCdWhaTKErAAAA==',
  ),
  animatedWebp: decode(
    'UklGRowAAABXRUJQVlA4WAoAAAASAAAAAwAAAgAAQU5JTQYAAAAAAAAAAABBTk1GMAAAAAAAAAAAAAMAAAIAAAAAAAJWUDhMGAAAAC8DgAAQDxDzv///AwwHCgEEQEET0f/4AUFOTUYoAAAAAAAAAAAAAwAAAgAAAAAAAFZQOEwPAAAALwOAAAAH0P+I/gciov8BAA==',
  ),
  animatedPng: decode(
    'iVBORw0KGgoAAAANSUhEUgAAAAQAAAADCAYAAAC09K7GAAAACGFjVEwAAAACAAAAAPONk3AAAAAaZmNUTAAAAAAAAAAEAAAAAwAAAAAAAAAAAAAAAQAA/UbKqgAAAB1JREFUeJxlyLEBAAAEA7DwuctrJ2MqBEoG2vFiAZ0UA4XT6gycAAAAGmZjVEwAAAABAAAABAAAAAMAAAAAAAAAAAAAAAEAAGY1IH4AAAAZZmRBVAAAAAJ4nGNk+M/wnwEJMDGgAQwBAGBsAgQLfjBbAAAAAElFTkSuQmCC',
  ),
};

/** Returns the PNG with another size in its header. */
export function pngOfSize(width: number, height: number): Uint8Array<ArrayBuffer> {
  const bytes = PICTURES.png.slice();
  const view = new DataView(bytes.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  view.setUint32(29, crc32(bytes.subarray(12, 29)));
  return bytes;
}

/** Returns the file with one byte changed. */
export function withByte(file: Uint8Array, at: number, value: number): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.from(file);
  bytes[at] = value;
  return bytes;
}

function decode(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}
