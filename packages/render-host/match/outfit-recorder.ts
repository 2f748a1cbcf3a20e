import { cleanLine } from '#domain/lib/text.ts';
import type { Entities, Entity } from '../source2/entities.ts';
import { addAtMost } from './demo-view.ts';
import { positionOf, sampledFlights, sampledItems, sampleOutfit } from './entity-sampler.ts';
import type { BombPlace, GrenadeFlight, OutfitChange, PlayerIndex } from './match.ts';
import type { Roster } from './roster.ts';

/** How often outfits, which change slowly, are sampled; flying grenades twice as often. */
const EVERY_TICKS = 8;
/** A grenade that moves less than this many units counts as still. */
const STILL = 2;
/** A long match has 30,000 changes of outfits, 2,000 grenades with 60 positions each, 500 positions of the bomb. */
export const MOST = { outfits: 300_000, flights: 20_000, placesOfOne: 2000, bombPlaces: 20_000 } as const;
/** The most items of one player, who can carry some ten. */
const MOST_ITEMS = 64;

export interface OutfitRecorder {
  /** Samples items and grenades. Returns whether players have to be sampled too. */
  begin(tick: number, entities: Entities, roster: Roster): boolean;
  put(player: PlayerIndex, entities: Entities, pawn: Entity, money: number | null): void;
  finish(): {
    readonly outfits: readonly OutfitChange[];
    readonly flights: readonly GrenadeFlight[];
    readonly bombPlaces: readonly BombPlace[];
  };
}

/** Collects what players carry and wear, their places, the paths of grenades, and the positions of the bomb. */
export function createOutfitRecorder(): OutfitRecorder {
  const outfits: OutfitChange[] = [];
  const lastOutfit = new Map<PlayerIndex, string>();
  const flights: { kind: GrenadeFlight['kind']; player: PlayerIndex | null; path: GrenadeFlight['path'][number][] }[] =
    [];
  const inAir = new Map<Entity, (typeof flights)[number]>();
  const bombPlaces: BombPlace[] = [];
  let itemsOf = new Map<number, string[]>();
  let bomb: { owner: number | null; at: Entity } | null = null;
  let carrier: PlayerIndex | null = null;
  let now = 0;
  let lastLook = -EVERY_TICKS;
  let lastBomb = '';

  function noteFlights(tick: number, entities: Entities, roster: Roster): void {
    const seen = new Set<Entity>();
    for (const { entity, kind, x, y, z, thrower } of sampledFlights(entities)) {
      seen.add(entity);
      let flight = inAir.get(entity);
      if (flight === undefined) {
        flight = { kind, player: roster.playerAt(thrower), path: [] };
        addAtMost(flights, MOST.flights, 'grenades in the air', flight);
        inAir.set(entity, flight);
      }
      const last = flight.path.at(-1);
      const moved = last === undefined ? STILL : Math.hypot(x - last.x, y - last.y, z - last.z);
      if (moved >= STILL) addAtMost(flight.path, MOST.placesOfOne, 'places of one grenade', { tick, x, y, z });
    }
    for (const entity of inAir.keys()) if (!seen.has(entity)) inAir.delete(entity);
  }

  /** Records the bomb of the last sample, now that the players of that sample are known. */
  function noteBomb(): void {
    const ground = bomb === null || carrier !== null ? null : positionOf(bomb.at);
    const place = { carrier, ground };
    const key = JSON.stringify(place);
    if (key === lastBomb || (lastBomb === '' && bomb === null)) return;
    lastBomb = key;
    addAtMost(bombPlaces, MOST.bombPlaces, 'places of the bomb', { tick: now, ...place });
  }

  return {
    begin(tick, entities, roster) {
      if (tick % (EVERY_TICKS / 2) === 0) noteFlights(tick, entities, roster);
      if (tick - lastLook < EVERY_TICKS) return false;
      if (lastLook >= 0) noteBomb();
      lastLook = tick;
      now = tick;
      itemsOf = new Map();
      bomb = null;
      carrier = null;
      for (const { item, owner, at } of sampledItems(entities)) {
        if (item === 'c4') bomb = { owner, at };
        if (owner === null) continue;
        const items = itemsOf.get(owner) ?? [];
        if (items.length < MOST_ITEMS) items.push(item);
        itemsOf.set(owner, items);
      }
      return true;
    },
    put(player, entities, pawn, money) {
      if (bomb?.owner === pawn.index) carrier = player;
      const items = (itemsOf.get(pawn.index) ?? []).toSorted();
      const outfit = { ...sampleOutfit(entities, pawn), money, items };
      const key = JSON.stringify(outfit);
      if (lastOutfit.get(player) === key) return;
      lastOutfit.set(player, key);
      const place = cleanLine(outfit.place);
      addAtMost(outfits, MOST.outfits, 'changes of what players have', { tick: now, player, ...outfit, place });
    },
    finish() {
      noteBomb();
      // In a deathmatch nobody has money. Each account is sent, and is 0.
      const hasMoney = outfits.some(({ money }) => money !== null && money > 0);
      return { outfits: hasMoney ? outfits : outfits.map((one) => ({ ...one, money: null })), flights, bombPlaces };
    },
  };
}
