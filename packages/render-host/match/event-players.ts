import { HANDLE_INDEX_BITS } from '#demo-format/game.ts';
import type { Entities } from '../source2/entities.ts';
import { sampledPlayers, slotOfPawn } from './entity-sampler.ts';
import type { GameEvent } from './game-events.ts';
import type { PlayerIndex, Team } from './match.ts';
import type { Roster } from './roster.ts';

/** The userid of nobody. */
const NOBODY = 0xffff;

/** Finds the player whom an event names, and their side. */
export interface EventPlayers {
  who(event: GameEvent, field: string): PlayerIndex | null;
  teamOf(player: PlayerIndex): Team | null;
  /** Notes a player's side and body while both exist, because the player may have left at the event that names them. */
  note(player: PlayerIndex, team: Team, pawnIndex: number | null): void;
}

/**
 * An event names a player by userid, and since 2023 by body too. Userids are those of `userinfo`, over 65,000 on some
 * servers; on others the event has the slot in the low byte. The body decides if the userid is unknown.
 */
export function createEventPlayers(roster: Roster, entities: Entities): EventPlayers {
  const lastTeam = new Map<PlayerIndex, Team>();
  const lastOwner = new Map<number, PlayerIndex>();

  function byPawn(handle: number): PlayerIndex | null {
    if (handle === -1) return null;
    const slot = slotOfPawn(entities, handle);
    return roster.playerAt(slot) ?? lastOwner.get(handle & PAWN_INDEX) ?? null;
  }

  return {
    who(event, field) {
      const userId = event.optional(field);
      const isNobody = userId === null || userId < 0 || userId === NOBODY;
      const exact = isNobody ? undefined : roster.playerOf(userId);
      if (exact !== undefined) return exact;
      const pawn = byPawn(event.optional(`${field}_pawn`) ?? -1);
      if (pawn !== null || isNobody) return pawn;
      const short = roster.playerOf(userId & 0xffff);
      return short === undefined ? roster.playerAt(userId & 0xff) : short;
    },

    teamOf(player) {
      for (const { slot, team } of sampledPlayers(entities)) if (roster.playerAt(slot) === player) return team;
      return lastTeam.get(player) ?? null;
    },

    note(player, team, pawnIndex) {
      lastTeam.set(player, team);
      if (pawnIndex !== null) lastOwner.set(pawnIndex, player);
    },
  };
}

const PAWN_INDEX = (1 << HANDLE_INDEX_BITS) - 1;
