import type { Outfit, OutfitChange, PlayerIndex, SceneMatch } from './match.ts';

const byMatch = new WeakMap<readonly OutfitChange[], ReadonlyMap<PlayerIndex, readonly OutfitChange[]>>();

/** Returns a player's outfit at a tick; null if the recording lacks it. */
export function outfitAt({ outfits }: Pick<SceneMatch, 'outfits'>, player: PlayerIndex, tick: number): Outfit | null {
  let changes = byMatch.get(outfits);
  if (changes === undefined) {
    changes = Map.groupBy(outfits, (change) => change.player);
    byMatch.set(outfits, changes);
  }
  return changes.get(player)?.findLast((change) => change.tick <= tick) ?? null;
}

/** Returns the game's name of a place with spaces: `BombsiteA` is `Bombsite A`, `TopofMid` is `Top of Mid`. */
export function placeName(place: string): string {
  const words = place.replace(/^(Top|Bottom|Back|Front|Side|End)of(?=[A-Z])/, '$1 of');
  return words.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
}
