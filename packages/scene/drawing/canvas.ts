/**
 * What the scene draws with. A render host has a library's canvas, a page has the browser's. Each hands its own in with
 * `setCanvasKit` before it draws.
 */
export interface CanvasKit {
  /** Creates a transparent canvas. */
  createCanvas(width: number, height: number): Canvas;
  /** Creates a path from the text of an SVG path; empty without. */
  createPath(text?: string): Path;
  /**
   * Returns the families that a text needs besides those of `FONT`, for the letters that they lack. Those of `FONT` are
   * loaded.
   */
  familiesFor(text: string): readonly string[];
}

/** A picture that can be drawn: a canvas, or what the place's decoder returns. */
export interface Picture {
  readonly width: number;
  readonly height: number;
}

export interface Canvas extends Picture {
  getContext(type: '2d', options?: { readonly alpha?: boolean; readonly willReadFrequently?: boolean }): Context2D;
}

/** The part of the standard's `CanvasRenderingContext2D` that the scene uses. */
export interface Context2D {
  fillStyle: string | object;
  strokeStyle: string | object;
  globalAlpha: number;
  lineWidth: number;
  lineCap: 'butt' | 'round' | 'square';
  lineJoin: 'bevel' | 'miter' | 'round';
  font: string;
  textAlign: 'center' | 'end' | 'left' | 'right' | 'start';
  textBaseline: 'alphabetic' | 'bottom' | 'hanging' | 'ideographic' | 'middle' | 'top';
  letterSpacing: string;
  imageSmoothingQuality: 'high' | 'low' | 'medium';
  filter: string;
  save(): void;
  restore(): void;
  translate(x: number, y: number): void;
  rotate(angle: number): void;
  scale(x: number, y: number): void;
  setTransform(a: number, b: number, c: number, d: number, e: number, f: number): void;
  resetTransform(): void;
  beginPath(): void;
  closePath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  arc(x: number, y: number, radius: number, from: number, to: number): void;
  quadraticCurveTo(viaX: number, viaY: number, x: number, y: number): void;
  roundRect(x: number, y: number, width: number, height: number, radius: number): void;
  setLineDash(lengths: number[]): void;
  fill(): void;
  fill(path: Path, rule?: 'evenodd' | 'nonzero'): void;
  stroke(): void;
  stroke(path: Path): void;
  fillRect(x: number, y: number, width: number, height: number): void;
  clearRect(x: number, y: number, width: number, height: number): void;
  fillText(text: string, x: number, y: number): void;
  strokeText(text: string, x: number, y: number): void;
  measureText(text: string): { readonly width: number };
  drawImage(image: Picture, x: number, y: number): void;
  drawImage(image: Picture, x: number, y: number, width: number, height: number): void;
  createLinearGradient(fromX: number, fromY: number, toX: number, toY: number): Gradient;
  createRadialGradient(fromX: number, fromY: number, from: number, toX: number, toY: number, to: number): Gradient;
  createImageData(width: number, height: number): Pixels;
  getImageData(x: number, y: number, width: number, height: number): Pixels;
  putImageData(pixels: Pixels, x: number, y: number): void;
}

export interface Gradient {
  addColorStop(at: number, color: string): void;
}

export interface Path {
  moveTo(x: number, y: number): void;
  arc(x: number, y: number, radius: number, from: number, to: number): void;
  closePath(): void;
}

/** RGBA, 8 bits a channel, top row first. */
export interface Pixels extends Picture {
  readonly data: ArrayBufferView & ArrayLike<number>;
}

let kit: CanvasKit | null = null;

/** Sets the canvas of this process, thread or page. */
export function setCanvasKit(given: CanvasKit): void {
  kit = given;
}

/** @throws if nothing has set a canvas. */
function canvasKit(): CanvasKit {
  if (kit === null) throw new Error('call setCanvasKit before drawing');
  return kit;
}

export const createCanvas: CanvasKit['createCanvas'] = (width, height) => canvasKit().createCanvas(width, height);
export const createPath: CanvasKit['createPath'] = (text) => canvasKit().createPath(text);
export const familiesFor: CanvasKit['familiesFor'] = (text) => canvasKit().familiesFor(text);
