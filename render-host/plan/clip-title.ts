import { cleanName, cutText } from '../../domain/clean-text.ts';
import type { Selection } from '../../domain/render-order.ts';
import type { Match } from '../match/match.ts';
import type { Shot } from './shot.ts';

/** Longer lists of players end in "and 3 others". */
const NAMES_AT_MOST = 3;
/** Characters; the game itself allows 32, servers with plugins more. */
const NAME_LENGTH_AT_MOST = 48;
/** What the gateway takes (protocol/gateway.ts), in UTF-16 units. */
const TITLE_LENGTH_AT_MOST = 300;

/**
 * The title of a clip: `3 kills by NAME on de_nuke, round 5`. The round is named when one was asked for; without kills
 * (a timeline may have none) the title is `NAME on de_nuke`; several players are listed in the order of their shots.
 */
export function clipTitle(match: Match, shots: readonly Shot[], selection: Selection): string {
  const names = [...new Set(shots.map(({ pov }) => pov))].map((pov) => playerName(match, pov));
  const kills = shots.reduce((sum, shot) => sum + shot.kills.length, 0);
  const who = listNames(names);
  const what = kills === 0 ? who : `${kills} ${kills === 1 ? 'kill' : 'kills'} by ${who}`;
  const round = selection.mode === 'round' && selection.round !== null ? `, round ${selection.round}` : '';
  return cutText(`${what} on ${match.map}${round}`, TITLE_LENGTH_AT_MOST);
}

function listNames(names: readonly string[]): string {
  const shown = names.length > NAMES_AT_MOST ? names.slice(0, NAMES_AT_MOST - 1) : names;
  const others = names.length - shown.length;
  const parts = others > 0 ? [...shown, `${others} others`] : shown;
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}

function playerName(match: Match, pov: number): string {
  const player = match.players[pov];
  return cleanName(player?.name ?? '', NAME_LENGTH_AT_MOST) || (player?.steamId ?? 'a player');
}
