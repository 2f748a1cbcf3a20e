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

/** The same, and with no jolt where it begins and ends: what moves a picture as a whole. */
export function smootherstep(from: number, to: number, value: number): number {
  const t = clamp((value - from) / (to - from), 0, 1);
  return t * t * t * (t * (t * 6 - 15) + 10);
}

/** Starts fast, comes to rest softly; 0 to 1. */
export function easeOut(t: number): number {
  const rest = 1 - clamp(t, 0, 1);
  return 1 - rest * rest * rest;
}

/** From 0 up to 1 over `rise`, and back to 0 over the last `fall` of `length` (all in the unit of `value`). */
export function pulse(value: number, length: number, rise: number, fall: number): number {
  if (value < 0 || value > length) return 0;
  return smoothstep(0, rise, value) * (1 - smoothstep(length - fall, length, value));
}
