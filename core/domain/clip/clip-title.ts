import * as z from 'zod';
import type { ReadAs } from '../lib/types.ts';
import { mapName } from './names.ts';

/** What a clip shows, as reported by its host. All titles and headlines are made from it in this file. */
export const StoredFactsShape = z.looseObject({
  /** Kills by the players below in the clip. A kill that is shown twice counts once. */
  kills: z.int(),
  /** Names of the shots' subjects, each once, in the order of their shots; at least one. */
  players: z.array(z.string()),
  /** The players among these who made the kills; left out if all or none did. */
  killers: z.array(z.string()).optional(),
  /** The game's name of it, such as `de_nuke`. */
  map: z.string(),
  /** The requested round; null if none was requested. */
  round: z.int().nullable(),
  /** `movement` if the map was drawn from where players walked; left out for pictures of the map, and for the game. */
  floor: z.literal('movement').optional(),
  /** `best` if no shot has the tick that was asked for the thumbnail, so that it shows the best moment. */
  cover: z.literal('best').optional(),
  /** Height in pixels at which the game was filmed, if the picture was scaled up from it. */
  filmed_height: z.int().optional(),
  /** `hidden` if the names are not those of the match. */
  names: z.literal('hidden').optional(),
});
export type ClipFacts = ReadAs<typeof StoredFactsShape>;

/** Longer lists of players end in "and 3 others". */
const NAMES_AT_MOST = 3;

/** `3 kills by Ferris on Nuke, round 5`; the title that API users see. */
export function clipTitle(facts: ClipFacts): string {
  const round = facts.round === null ? '' : `, round ${facts.round}`;
  return `${clipHeadline(facts)} on ${mapName(facts.map)}${round}`;
}

/** `3 kills by Ferris`; without kills, which a timeline may lack, `Ferris`. */
export function clipHeadline({ kills, players, killers = players }: ClipFacts): string {
  return kills === 0 ? playerList(players) : `${kills} ${kills === 1 ? 'kill' : 'kills'} by ${playerList(killers)}`;
}

/** `Ferris, Juniper and 3 others`. */
export function playerList(names: readonly string[]): string {
  const shown = names.length > NAMES_AT_MOST ? names.slice(0, NAMES_AT_MOST - 1) : names;
  const others = names.length - shown.length;
  return new Intl.ListFormat('en-GB').format(others > 0 ? [...shown, `${others} others`] : shown);
}
