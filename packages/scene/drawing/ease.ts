export function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

export function lerp(from: number, to: number, t: number): number {
  return from + (to - from) * t;
}

/** 0 below `from`, 1 above `to`, smooth between. */
export function smoothstep(from: number, to: number, value: number): number {
  const t = clamp((value - from) / (to - from), 0, 1);
  return t * t * (3 - 2 * t);
}

/** Like `smoothstep`, without a jolt at the ends: for what moves the whole picture. */
export function smootherstep(from: number, to: number, value: number): number {
  const t = clamp((value - from) / (to - from), 0, 1);
  return t * t * t * (t * (t * 6 - 15) + 10);
}

/** Starts fast and slows down; 0 to 1. */
export function easeOut(t: number): number {
  const rest = 1 - clamp(t, 0, 1);
  return 1 - rest * rest * rest;
}

/** Rises from 0 to 1 over `rise`, and falls to 0 over the last `fall` of `length`, all in the unit of `value`. */
export function pulse(value: number, length: number, rise: number, fall: number): number {
  if (value < 0 || value > length) return 0;
  return smoothstep(0, rise, value) * (1 - smoothstep(length - fall, length, value));
}
