import { createCanvas, ImageData } from '@napi-rs/canvas';
import { type Aspect, aspectOf, type Size } from '#domain/clip/render-order.ts';
import type { CaptureOptions } from '#scene/frames/clip-clock.ts';
import type { FrameSource } from '../frames/frame-source.ts';

/**
 * The sizes of a picture: small, because a viewer on a slow line waits for all of it, and whole blocks of a JPEG, so
 * that pictures do not blend.
 */
const PICTURES: Readonly<Record<Aspect, Size>> = {
  '16:9': { width: 256, height: 144 },
  '9:16': { width: 144, height: 256 },
  '1:1': { width: 176, height: 176 },
  '4:5': { width: 128, height: 160 },
};
const MOST_COLUMNS = 6;
const MOST_PICTURES = 60;
/** The least seconds between pictures. Long clips have more. */
const FINEST_SECONDS = 0.5;
const JPEG_QUALITY = 60;

export interface StoryboardSheet {
  readonly jpeg: Uint8Array;
  readonly columns: number;
  readonly rows: number;
  readonly intervalSeconds: number;
}

export interface StoryboardMaker {
  /** The source whose frames have to be read once, from the first to the last. */
  readonly source: FrameSource;
  /** Rejects if a picture could not be drawn. */
  finish(): Promise<StoryboardSheet>;
}

/**
 * Makes small pictures of a clip from the frames on their way to the encoder, so that none is drawn or decoded again.
 * `finish` reports an error, because it must not fail the clip.
 */
export function createStoryboard(
  source: FrameSource,
  { width, height, fps }: Pick<CaptureOptions, 'width' | 'height' | 'fps'>,
): StoryboardMaker {
  const { frameCount } = source;
  const picture = PICTURES[aspectOf({ width, height })];
  const every = Math.max(1, Math.round(FINEST_SECONDS * fps), Math.ceil(frameCount / MOST_PICTURES));
  const pictures = Math.ceil(frameCount / every);
  const columns = Math.min(MOST_COLUMNS, pictures);
  const rows = Math.ceil(pictures / columns);
  const canvas = createCanvas(columns * picture.width, rows * picture.height);
  const ctx = canvas.getContext('2d', { alpha: false });
  ctx.imageSmoothingQuality = 'high';
  const whole = createCanvas(width, height);
  // A canvas does not accept the shared memory that frames may be in.
  const copy = new Uint8ClampedArray(width * height * 4);
  let failure: unknown = null;

  function add(pixels: Uint8Array, nth: number): void {
    if (pixels.length !== copy.length) throw new RangeError(`a frame of ${pixels.length} bytes`);
    copy.set(pixels);
    whole.getContext('2d').putImageData(new ImageData(copy, width, height), 0, 0);
    const [x, y] = [(nth % columns) * picture.width, Math.floor(nth / columns) * picture.height];
    ctx.drawImage(whole, 0, 0, width, height, x, y, picture.width, picture.height);
  }

  async function* frames(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    let index = 0;
    for await (const pixels of source.frames(signal)) {
      try {
        if (index % every === 0 && failure === null) add(pixels, index / every);
      } catch (error) {
        failure = error;
      }
      index++;
      yield pixels;
    }
  }

  return {
    source: { frameCount, frames, frame: (index, content) => source.frame(index, content) },
    async finish() {
      if (failure !== null) throw failure;
      return { jpeg: await canvas.encode('jpeg', JPEG_QUALITY), columns, rows, intervalSeconds: every / fps };
    },
  };
}
