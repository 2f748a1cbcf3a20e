import { type Context2D, createCanvas } from '#scene/drawing/canvas.ts';
import type { CaptureOptions, FrameContent } from '#scene/frames/clip-clock.ts';
import type { SceneMatch } from '#scene/match/match.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { createScene } from '#scene/scene.ts';

export interface SceneInput {
  readonly match: SceneMatch;
  readonly shots: readonly Shot[];
  readonly options: CaptureOptions;
}

/** A text or picture that was drawn: the text or nothing, its left end and height in its canvas, and its width. */
export type Drawn = readonly [text: string, x: number, y: number, width: number];

export interface NotedFrame {
  /** RGBA. */
  readonly pixels: Uint8ClampedArray;
  /** What was drawn on any canvas, in order. */
  readonly drawn: readonly Drawn[];
}

/** Creates a scene that paints on `ctx` and notes what it draws for each frame. Runs in Node and in a browser. */
export function createNotedScene({ match, shots, options }: SceneInput, ctx: Context2D) {
  const drawn: Drawn[] = [];
  const kinds = new Set<Drawing>([ctx, createCanvas(1, 1).getContext('2d')].map(Object.getPrototypeOf));
  const restores = Array.from(kinds, (prototype) => note(prototype, drawn));
  const scene = createScene(match, shots, options);
  return {
    frameCount: scene.frameCount,
    frame(index: number, content: FrameContent): NotedFrame {
      scene.paint(ctx, index, content);
      const { data } = ctx.getImageData(0, 0, options.width, options.height);
      return { pixels: data as Uint8ClampedArray, drawn: drawn.splice(0) };
    },
    restore() {
      for (const restore of restores) restore();
    },
  };
}

type Drawing = Pick<Context2D, 'fillText' | 'drawImage'>;
type Noted = Context2D & { getTransform(): Readonly<Record<'a' | 'd' | 'e' | 'f', number>> };

/** Makes each context of a prototype note texts and pictures. */
function note(prototype: Drawing, drawn: Drawn[]): () => void {
  const { fillText, drawImage } = prototype;
  prototype.fillText = function (this: Noted, text: string, x: number, y: number) {
    const { width } = this.measureText(text);
    const before = this.textAlign === 'center' ? width / 2 : this.textAlign === 'right' ? width : 0;
    const { a, d, e, f } = this.getTransform();
    drawn.push([text, (x - before) * a + e, y * d + f, width * a]);
    fillText.call(this, text, x, y);
  };
  prototype.drawImage = function (this: Noted, image: { width: number }, x: number, y: number, ...size: number[]) {
    const { a, d, e, f } = this.getTransform();
    drawn.push(['', x * a + e, y * d + f, (size[0] ?? image.width) * a]);
    Reflect.apply(drawImage, this, [image, x, y, ...size]);
  };
  return () => Object.assign(prototype, { fillText, drawImage });
}

/** Returns an input as text for `readInput`. */
export function writeInput(input: SceneInput): string {
  return JSON.stringify(input, (_, value) => {
    if (!ArrayBuffer.isView(value)) return value;
    return { type: value.constructor.name, values: Array.from(value as Float32Array) };
  });
}

const ARRAYS: Readonly<Record<string, { from(values: number[]): unknown }>> = { Float32Array, Uint8Array };

export function readInput(text: string): SceneInput {
  return JSON.parse(text, (_, value) => ARRAYS[value?.type]?.from(value.values) ?? value);
}
