import type { ScriptedMatch } from './scripted-match.ts';

/** The game that recorded the demo: the build whose classes and events are written. */
export const GAME: Pick<ScriptedMatch, 'serverName' | 'gameDirectory' | 'patchVersion' | 'buildNumber'> = {
  serverName: 'Tickreel sample server',
  gameDirectory: '/home/steam/cs2/game/csgo',
  patchVersion: 14160,
  buildNumber: 10772,
};
