import { decodeCrosshairShareCode } from 'csgo-sharecode';
import type { Crosshair } from './match.ts';

/** The colours of `cl_crosshaircolor` 0 to 4. Other values use the player's own. */
const PRESETS = ['#fa3232', '#32fa32', '#fafa32', '#3232fa', '#32fafa'];
/** Pixels of a unit of length or thickness, and of `cl_crosshairgap` 0. */
const UNIT = 2;
const GAP = 4;

/** Reads the share code that a demo has of a player. Returns null for a bot, which has none, and for a damaged one. */
export function readCrosshair(code: string): Crosshair | null {
  try {
    const read = decodeCrosshairShareCode(code);
    const own = `#${[read.red, read.green, read.blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
    return {
      color: PRESETS[read.color] ?? own,
      alpha: read.alphaEnabled ? read.alpha / 255 : 1,
      length: read.length * UNIT,
      thickness: Math.max(1, read.thickness * UNIT),
      gap: GAP + read.gap,
      outline: read.outlineEnabled ? read.outline : 0,
      dot: read.centerDotEnabled,
      isT: read.tStyleEnabled,
    };
  } catch {
    return null;
  }
}
