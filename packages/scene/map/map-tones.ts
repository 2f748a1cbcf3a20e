import { lerp, smoothstep } from '../drawing/theme.ts';

type Rgb = readonly [red: number, green: number, blue: number];

const GROUND: Rgb = [9, 13, 18];
const LOW_FLOOR: Rgb = [84, 101, 115];
const HIGH_FLOOR: Rgb = [109, 107, 103];
const RIM: Rgb = [203, 219, 233];
const CONTOUR: Rgb = [74, 108, 136];
/** Distances of contour lines from the floor in units, and their strength. */
const CONTOURS: readonly (readonly [distance: number, strength: number])[] = [
  [46, 0.34],
  [104, 0.22],
  [174, 0.14],
  [256, 0.08],
];

/**
 * The map's colours as little-endian RGBA pixels. Distances are units to the floor's edge, positive on the floor.
 * Colours that are used for millions of pixels come from tables.
 */
export interface Tones {
  /** The distance from the floor's edge beyond which there is only ground, or only floor. */
  readonly edgeZone: number;
  /** Ground by distance: `STEPS_A_UNIT` a unit, up to `REACH`. */
  readonly grounds: Uint32Array;
  /** The colours of floor by `floorIndex`. */
  readonly floors: Uint32Array;
  /** Computes any colour: `altitude` and `grid` 0 to 1, `light` -1 to 1 (away from or towards the light). */
  mixed(distance: number, altitude: number, light: number, grid: number): number;
}

/** Steps a unit of the tables, and the largest distance from the edge in them. */
export const STEPS_A_UNIT = 4;
export const REACH = 600;
/** Steps of the floor table: distance by 2 a unit, up to the end of the edge's shade, altitude and light. */
const FLOOR = { distances: 200, altitudes: 32, lights: 12 };
const LIGHTS = FLOOR.lights + 1;
const LEVELS = FLOOR.altitudes + 1;

/** Returns the position in `floors`: `distance` above 0, `altitude` 0 to 1, `light` -1 to 1. */
export function floorIndex(distance: number, altitude: number, light: number): number {
  const far = Math.min(Math.round(distance * 2), FLOOR.distances);
  const level = Math.round(altitude * FLOOR.altitudes);
  return (far * LEVELS + level) * LIGHTS + Math.round((light + 1) * 0.5 * FLOOR.lights);
}

/**
 * Computes the colours of a plate of `scale` pixels a unit. Those that depend on distance alone are computed once for
 * each quarter unit.
 */
export function createTones(scale: number): Tones {
  const along = (value: (distance: number) => number): Float32Array =>
    Float32Array.from({ length: REACH * STEPS_A_UNIT + 1 }, (_, i) => value(i / STEPS_A_UNIT));
  const tint = along(contourTint);
  const shadow = along((distance) => 1 - 0.55 * Math.exp(-distance / 16));
  const shade = along((inside) => 1 - 0.08 * Math.exp(-inside / 34));
  const rim = along((distance) => Math.exp(-(distance * distance) / 22));
  const sheen = along((inside) => Math.exp(-inside / 24) * 0.16);
  const grounds = Uint32Array.from(tint, (strength, i) => {
    const channel = (c: 0 | 1 | 2): number => lerp(GROUND[c], CONTOUR[c], strength) * (shadow[i] ?? 1);
    return packed(channel(0), channel(1), channel(2));
  });
  const floors = new Uint32Array((FLOOR.distances + 1) * LEVELS * LIGHTS);
  const indexOf = (distance: number): number => Math.round(Math.min(Math.abs(distance), REACH) * STEPS_A_UNIT);
  const tones: Tones = {
    edgeZone: 1.5 / scale,
    grounds,
    floors,
    mixed(distance, altitude, light, grid) {
      const at = indexOf(distance);
      const inside = distance > 0 ? at : 0;
      const cover = smoothstep(-1.4 / scale, 1.4 / scale, distance);
      const glint = (rim[at] ?? 0) * (0.42 + 0.34 * light) + (sheen[inside] ?? 0) * Math.max(light, 0);
      const dim = shade[inside] ?? 1;
      const channel = (c: 0 | 1 | 2): number => {
        const flat = lerp(LOW_FLOOR[c], HIGH_FLOOR[c], altitude) * dim + grid * 20;
        const floor = lerp(flat, RIM[c], glint);
        if (cover === 1) return floor;
        const outside = distance > 0 ? 0 : at;
        const strength = Math.min((tint[outside] ?? 0) + grid * 0.06, 1);
        return lerp(lerp(GROUND[c], CONTOUR[c], strength) * (shadow[outside] ?? 1), floor, cover);
      };
      return packed(channel(0), channel(1), channel(2));
    },
  };
  for (let i = 0; i < floors.length; i++) {
    const light = ((i % LIGHTS) / FLOOR.lights) * 2 - 1;
    const place = Math.floor(i / LIGHTS);
    const distance = Math.max(Math.floor(place / LEVELS) / 2, tones.edgeZone);
    floors[i] = tones.mixed(distance, (place % LEVELS) / FLOOR.altitudes, light, 0);
  }
  return tones;
}

/** Returns the strength of contour lines and of the glow around the floor. Both fade with distance. */
function contourTint(distance: number): number {
  let line = 0;
  for (const [at, strength] of CONTOURS) line = Math.max(line, (1 - Math.abs(distance - at) / 2.4) * strength);
  return line + Math.exp(-distance / 150) * 0.1;
}

function packed(red: number, green: number, blue: number): number {
  return (255 << 24) | (Math.round(blue) << 16) | (Math.round(green) << 8) | Math.round(red);
}
