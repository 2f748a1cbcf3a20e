/**
 * Frames in shared memory, on their way from the thread that draws to the one that encodes. A few are filled and
 * returned in order. The drawing thread blocks while all are in use, so frames never pile up.
 */
export interface FrameRing {
  readonly pixels: SharedArrayBuffer;
  /** [frames that the reader has returned, 1 once the writer must stop]. */
  readonly state: SharedArrayBuffer;
  readonly frameBytes: number;
  readonly capacity: number;
}

const RELEASED = 0;
const STOPPED = 1;

/** Two frames ahead of the reader keep either thread busy while the other is slow. */
export function createFrameRing(frameBytes: number, capacity = 3): FrameRing {
  return {
    pixels: new SharedArrayBuffer(frameBytes * capacity),
    state: new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT),
    frameBytes,
    capacity,
  };
}

/** Returns the memory of a frame, for both threads. */
export function frameIn(ring: FrameRing, frame: number): Uint8Array {
  return new Uint8Array(ring.pixels, (frame % ring.capacity) * ring.frameBytes, ring.frameBytes);
}

/** Writer: blocks the thread until the place of `frame` is free. Returns false once the reader has stopped. */
export function waitForRoom(ring: FrameRing, frame: number): boolean {
  const state = new Int32Array(ring.state);
  for (;;) {
    if (Atomics.load(state, STOPPED) === 1) return false;
    const released = Atomics.load(state, RELEASED);
    if (frame - released < ring.capacity) return true;
    Atomics.wait(state, RELEASED, released);
  }
}

/** Reader: returns each frame before `frame`. */
export function releaseBefore(ring: FrameRing, frame: number): void {
  const state = new Int32Array(ring.state);
  Atomics.store(state, RELEASED, frame);
  Atomics.notify(state, RELEASED);
}

/** Reader: stops the writer. */
export function stopRing(ring: FrameRing): void {
  const state = new Int32Array(ring.state);
  Atomics.store(state, STOPPED, 1);
  Atomics.add(state, RELEASED, 1);
  Atomics.notify(state, RELEASED);
}
