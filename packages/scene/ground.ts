import { zoomLevels } from './camera/camera.ts';
import { createCallouts } from './map/callouts.ts';
import { createWholePlates, type Plates } from './map/plates.ts';
import { type Levels, readLevels } from './match/levels.ts';
import type { SceneMatch } from './match/match.ts';
import { type CalloutSprite, createCalloutSprites } from './paint/paint-callouts.ts';
import { nameSprite, type Sprite } from './paint/sprites.ts';

/** What the scenes of parts of a recording share: all that is the same in the whole of it. */
export interface Ground {
  readonly scale: number;
  readonly levels: Levels;
  readonly plates: Plates;
  readonly callouts: readonly CalloutSprite[];
  /** The same as `nameSprite`, which paints each name once. */
  readonly nameOf: typeof nameSprite;
}

/** The last ground of a recording, by the cells of all of it. */
const grounds = new WeakMap<Uint32Array, Ground>();

/**
 * Returns the ground of a part of a recording, so that a player that goes from part to part computes and paints it
 * once. `scale`: of the picture.
 */
export function groundOf(match: SceneMatch, walked: Uint32Array, scale: number): Ground {
  const known = grounds.get(walked);
  if (known?.scale === scale) return known;
  const levels = readLevels(match);
  const names = new Map<string, Sprite>();
  const ground: Ground = {
    scale,
    levels,
    plates: createWholePlates(match, walked, levels, zoomLevels(match)[0] * scale),
    callouts: createCalloutSprites(createCallouts(match), scale),
    nameOf(name, isPov) {
      const key = `${isPov} ${name}`;
      const sprite = names.get(key) ?? nameSprite(name, isPov, scale);
      names.set(key, sprite);
      return sprite;
    },
  };
  grounds.set(walked, ground);
  return ground;
}
