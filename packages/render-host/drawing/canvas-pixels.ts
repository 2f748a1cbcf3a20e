import type { Canvas } from '@napi-rs/canvas';

/**
 * Copies a canvas's pixels (RGBA; premultiplied, which for an opaque picture is the same) to `target`.
 *
 * `canvas.data()` hands out a fresh copy of 8 MB a frame at 1080p. Left to the garbage collector these pile up, and
 * touching new pages then takes some 20 ms a frame; detached at once, the same warm memory comes back for the next
 * frame: 0.3 ms. The memory is only freed on the thread's next turn of the event loop, so a loop over frames has to
 * yield between them.
 */
export function copyPixels(canvas: Canvas, target: Uint8Array): void {
  const pixels = canvas.data();
  target.set(pixels);
  if (pixels.byteLength === pixels.buffer.byteLength && pixels.buffer instanceof ArrayBuffer) pixels.buffer.transfer(0);
}
