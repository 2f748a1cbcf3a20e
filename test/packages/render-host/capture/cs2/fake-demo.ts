import { readFileSync } from 'node:fs';
import { readDemo } from '#render-host/source2/demo-reader.ts';

/** What the fake game reads of the demo that it plays. */
export interface LoadedDemo {
  readonly lastTick: number;
  /** All slots that were ever taken. */
  readonly slots: readonly number[];
  /** Returns who has a slot at a tick, or null. */
  steamIdAt(slot: number, tick: number): string | null;
}

/** Reads who has which slot since when, like the game. The file must be complete and have no commands. */
export async function loadDemo(path: string): Promise<LoadedDemo> {
  if (readFileSync(path).includes('rcon_password')) throw new Error('the demo carries a command');
  const seats: { tick: number; slot: number; steamId: string | null }[] = [];
  let now = 0;
  await readDemo(path, {}, () => ({
    fileHeader() {},
    serverInfo() {},
    conVar() {},
    gameEventList() {},
    gameEvent() {},
    userInfo(slot, info) {
      seats.push({ tick: now, slot, steamId: info === null || info.ishltv ? null : info.steamid.toString() });
    },
    packetEnd(tick) {
      now = tick;
    },
  }));
  return {
    lastTick: now,
    slots: [...new Set(seats.filter(({ steamId }) => steamId !== null).map(({ slot }) => slot))],
    steamIdAt: (slot, tick) => seats.findLast((seat) => seat.slot === slot && seat.tick <= tick)?.steamId ?? null,
  };
}
