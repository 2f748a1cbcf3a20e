import { cleanName } from '#domain/clean-text.ts';
import type { FileHeader } from '../source2/demo-reader.ts';
import { RejectedDemo } from './rejected-demo.ts';

/**
 * Refuses demos that cannot be played: of other Source 2 games (Dota 2 and Deadlock share the container) and, without
 * `workshopMaps`, of workshop maps, for which the game would ask to subscribe.
 *
 * @throws {RejectedDemo} `demo_incompatible`, `workshop_not_supported`, or `demo_failed_parse` for a header without a
 * map.
 */
export function checkHeader({ game_directory, map_name, addons }: FileHeader, workshopMaps = false): void {
  const game = game_directory.split(/[\\/]/).filter(Boolean).at(-1) ?? '';
  if (game !== '' && game !== 'csgo') {
    throw new RejectedDemo('demo_incompatible', `a demo of another game: ${JSON.stringify(game)}`, {
      game: cleanName(game, GAME_LENGTH_AT_MOST),
    });
  }
  if (!workshopMaps && (/(^|\/)workshop\//.test(map_name) || addons.trim() !== '')) {
    const facts = { map: mapLabel(map_name) };
    throw new RejectedDemo('workshop_not_supported', `recorded on the workshop map ${JSON.stringify(map_name)}`, facts);
  }
  if (map_name === '') throw new RejectedDemo('demo_failed_parse', 'the demo does not name its map');
}

/** Code points. */
const GAME_LENGTH_AT_MOST = 40;
/** Code points. The game's maps have some ten. */
const MAP_LENGTH_AT_MOST = 64;

/** Returns the name of a map for pictures and titles. */
export function mapLabel(mapName: string): string {
  return cleanName(mapName, MAP_LENGTH_AT_MOST) || 'an unnamed map';
}
