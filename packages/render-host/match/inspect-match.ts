import { open } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { isEnemyKill, sideAt } from '#scene/match/match.ts';
import { findHighlights, type Highlight } from './highlights.ts';
import type { Kill, MapOutline, Match, Player, Team } from './match.ts';
import { endsRound } from './round-sign.ts';

interface InspectedPlayer extends Pick<Player, 'steamId' | 'name' | 'isBot'> {
  /** The side in the first round that they play; null for a player who never had one. */
  readonly team: Team | null;
  /** Kills that count, and deaths in the same rounds. */
  readonly kills: number;
  readonly deaths: number;
  /** Kills by round number, without rounds of none. */
  readonly killsByRound: ReadonlyMap<number, number>;
}

/** What a request can ask of a demo. Has the kills that count. */
export interface MatchInspection extends Omit<Match, 'players'> {
  /** Steam id of the only player who can be shown; null if all can. */
  readonly recordedBy: string | null;
  /** The players in the order of the match. Kills and highlights name them by position. */
  readonly players: readonly InspectedPlayer[];
  /** The kills that ended their round. */
  readonly endings: ReadonlySet<Kill>;
  /** The best first; only the recording player's if they recorded the demo. */
  readonly highlights: readonly Highlight[];
}

/** Returns what a parsed match offers for clips. */
export function inspectMatch(match: Match): MatchInspection {
  const { recorder } = match;
  const kills = match.kills.filter((kill) => kill.round !== null && isEnemyKill(kill));
  const players = match.players.map((player, index): InspectedPlayer => {
    const killsByRound = new Map<number, number>();
    for (const { attacker, round } of kills) {
      if (attacker === index && round !== null) killsByRound.set(round, (killsByRound.get(round) ?? 0) + 1);
    }
    return {
      steamId: player.steamId,
      name: player.name,
      isBot: player.isBot,
      killsByRound,
      team: firstSide(match, index),
      kills: [...killsByRound.values()].reduce((sum, count) => sum + count, 0),
      deaths: match.kills.filter(({ victim, round }) => victim === index && round !== null).length,
    };
  });
  return {
    ...match,
    recordedBy: recorder === null ? null : (match.players[recorder]?.steamId ?? null),
    players,
    kills,
    endings: new Set(kills.filter((kill) => endsRound(match, kill))),
    highlights: findHighlights(match).filter(({ player }) => recorder === null || player === recorder),
  };
}

/** Sides are chosen anew in warm-ups and after knife rounds, so they count only if there is no round. */
function firstSide({ rounds, tracks, lastTick }: Match, player: number): Team | null {
  const live = rounds.map(({ freezeEndTick, startTick, endTick }, at) => ({
    from: freezeEndTick ?? startTick,
    to: endTick ?? rounds[at + 1]?.startTick ?? lastTick,
  }));
  for (const { from, to } of [...live, { from: tracks.firstTick, to: lastTick }]) {
    for (let tick = from; tick <= to; tick++) {
      const side = sideAt(tracks, player, tick);
      if (side !== null) return side;
    }
  }
  return null;
}

/** Limits of an outline. */
export const MOST_AREAS = 20_000;
export const MOST_CORNERS = { ofArea: 64, ofMap: 200_000 };
/** The farthest distance of a map from the origin, in units. */
export const REACH = 16_384;
const MOST_BYTES = 8 * 1024 * 1024;
const MAP_NAME = /^[a-z0-9_]{1,64}$/;

const coordinate = z.number().min(-REACH).max(REACH);
const OutlineFile = z
  .strictObject({
    version: z.literal(1),
    map: z.string().regex(MAP_NAME, 'must be a name of lower-case letters, digits and _'),
    source: z.string().max(100),
    splits: z.array(coordinate).max(3),
    areas: z
      .array(
        z
          .array(coordinate)
          .min(9)
          .max(3 * MOST_CORNERS.ofArea)
          .refine((corners) => corners.length % 3 === 0, 'has a corner without x, y and z'),
      )
      .min(1)
      .max(MOST_AREAS),
  })
  .refine(({ areas }) => areas.reduce((sum, { length }) => sum + length, 0) <= 3 * MOST_CORNERS.ofMap, {
    message: `has more than ${MOST_CORNERS.ofMap} corners`,
    path: ['areas'],
  })
  .refine(({ splits }) => splits.every((height, i) => i === 0 || height > (splits[i - 1] ?? 0)), {
    message: 'is not ascending',
    path: ['splits'],
  });

/** Returns the name that the outline of a map has, which for a workshop map is its last part; null if it has none. */
export function outlineName(map: string): string | null {
  const name = map.slice(map.lastIndexOf('/') + 1).toLowerCase();
  return MAP_NAME.test(name) ? name : null;
}

/** The name of a map's file. */
export const outlineFile = (name: string): string => `${name}.outline.json`;

/** Returns the text of an outline's file. */
export function writeOutline(outline: MapOutline): string {
  return `${JSON.stringify({ version: 1, ...outline })}\n`;
}

/** Reads the text of an outline's file. @throws an Error that says what is wrong with it. */
export function parseOutline(text: string): MapOutline {
  const read = OutlineFile.safeParse(JSON.parse(text));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new Error(`${issue?.path.join('.') || 'the file'}: ${issue?.message}`);
  }
  const { version: _, ...outline } = read.data;
  return outline;
}

/**
 * Loads the outline of a map from a folder. Resolves with null if there is none.
 *
 * @throws an Error with a text for the operator if the file cannot be used.
 */
export async function loadOutline(folder: string, map: string): Promise<MapOutline | null> {
  const name = outlineName(map);
  if (name === null) return null;
  const file = await open(join(folder, outlineFile(name))).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new Error(`${outlineFile(name)} cannot be read: ${error.message}`);
  });
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    if (size > MOST_BYTES) throw new Error(`the file has ${size} bytes, more than ${MOST_BYTES}`);
    const outline = parseOutline(await file.readFile('utf8'));
    if (outline.map !== name) throw new Error(`map: is ${outline.map}`);
    return outline;
  } catch (error) {
    throw new Error(`${outlineFile(name)}: ${error instanceof Error ? error.message : error}`);
  } finally {
    await file.close();
  }
}
