import { cleanName } from '../../domain/clean-text.ts';
import { RejectedDemo } from './rejected-demo.ts';

/** The fields of a demo's DEM_FileHeader that decide whether it can be played. */
export interface DemoHeader {
  /** Such as `de_nuke`; `workshop/<id>/<map>` for a map out of the workshop. */
  readonly mapName: string;
  /** The game's folder on the recording server, such as `/home/csgo/game/csgo`. */
  readonly gameDirectory: string;
  /** Comma-separated workshop ids; empty for the game's own maps. */
  readonly addons: string;
  /** The game's patch version, such as 14160 for 1.41.6.0; null where there is none. */
  readonly patchVersion: number | null;
}

/**
 * Refuses what cannot be played: another Source 2 game (Dota 2 and Deadlock share the container) and workshop maps,
 * on which the game would stop at a Subscribe prompt.
 *
 * @throws {RejectedDemo} `demo_incompatible`, `workshop_not_supported`, or `demo_failed_parse` for a header without a map.
 */
export function checkHeader(header: DemoHeader): void {
  const game = header.gameDirectory.split(/[\\/]/).filter(Boolean).at(-1) ?? '';
  if (game !== '' && game !== 'csgo') {
    throw new RejectedDemo('demo_incompatible', `a demo of another game: ${JSON.stringify(game)}`);
  }
  if (/(^|\/)workshop\//.test(header.mapName) || header.addons.trim() !== '') {
    throw new RejectedDemo('workshop_not_supported', `recorded on the workshop map ${JSON.stringify(header.mapName)}`);
  }
  if (header.mapName === '') throw new RejectedDemo('demo_failed_parse', 'the demo does not name its map');
}

/** Code points; maps of the game have some ten. */
const MAP_LENGTH_AT_MOST = 64;

/** What the map is called in pictures and titles. */
export function mapLabel({ mapName }: DemoHeader): string {
  return cleanName(mapName, MAP_LENGTH_AT_MOST) || 'an unnamed map';
}

/** The header out of the parser's decoded message. Fields that the demo leaves out read as empty. */
export function headerFrom(message: unknown): DemoHeader {
  const fields = message as Partial<Record<keyof DemoHeader, unknown>>;
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    mapName: text(fields.mapName),
    gameDirectory: text(fields.gameDirectory),
    addons: text(fields.addons),
    patchVersion: typeof fields.patchVersion === 'number' && fields.patchVersion > 0 ? fields.patchVersion : null,
  };
}
