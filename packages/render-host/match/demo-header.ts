import { cleanName } from '#domain/clean-text.ts';
import type { FileHeader } from '../source2/demo-reader.ts';
import { RejectedDemo } from './rejected-demo.ts';

/**
 * Refuses demos of other Source 2 games: Dota 2 and Deadlock share the container.
 *
 * @throws {RejectedDemo} `demo_incompatible`, or `demo_failed_parse` for a header without a map.
 */
export function checkHeader({ game_directory, map_name }: FileHeader): void {
  const game = game_directory.split(/[\\/]/).filter(Boolean).at(-1) ?? '';
  if (game !== '' && game !== 'csgo') {
    throw new RejectedDemo('demo_incompatible', `a demo of another game: ${JSON.stringify(game)}`, {
      game: cleanName(game, GAME_LENGTH_AT_MOST),
    });
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
