import type { FieldList } from '../source2/field-decoder.ts';
import type { PlayerIndex, Sight } from './match.ts';

/** A long match has ten thousand. More of a crafted recording are ignored: clips do not need them. */
const MOST_SIGHTS = 100_000;
const WORD_BITS = 32;

export interface SightRecorder {
  /** `seers`: who sees a player from this tick on, in the form of `sampleSeers`; null for nobody. */
  put(tick: number, player: PlayerIndex, seers: FieldList | null, playerAt: SlotHolder): void;
  finish(lastTick: number): readonly Sight[];
}

type SlotHolder = (slot: number) => PlayerIndex | null;

interface OpenSight extends Sight {
  endTick: number;
}

/** Collects who sees whom, and how long. */
export function createSightRecorder(): SightRecorder {
  const sights: OpenSight[] = [];
  const last = new Map<PlayerIndex, FieldList | null>();
  const open = new Map<PlayerIndex, Map<number, OpenSight>>();
  return {
    put(tick, player, seers, playerAt) {
      if ((last.get(player) ?? null) === seers) return;
      last.set(player, seers);
      const now = open.get(player) ?? new Map<number, OpenSight>();
      open.set(player, now);
      for (const [slot, sight] of now) {
        if (isSet(seers, slot)) continue;
        sight.endTick = tick;
        now.delete(slot);
      }
      for (let slot = 0; slot < (seers?.length ?? 0) * WORD_BITS; slot++) {
        if (!isSet(seers, slot) || now.has(slot)) continue;
        const by = playerAt(slot);
        if (by === null || by === player || sights.length >= MOST_SIGHTS) continue;
        const sight = { player, by, startTick: tick, endTick: Infinity };
        sights.push(sight);
        now.set(slot, sight);
      }
    },
    finish: (lastTick) => sights.map((sight) => ({ ...sight, endTick: Math.min(sight.endTick, lastTick) })),
  };
}

function isSet(words: FieldList | null, slot: number): boolean {
  const word = words?.[Math.floor(slot / WORD_BITS)];
  return typeof word === 'number' && ((word >>> (slot % WORD_BITS)) & 1) === 1;
}
