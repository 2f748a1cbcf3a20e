import { readFileSync } from 'node:fs';
import { readDemo } from '#render-host/source2/demo-reader.ts';

/** What the stand-in game knows of the demo it plays. */
export interface LoadedDemo {
  readonly lastTick: number;
  /** All that somebody ever sat in. */
  readonly slots: readonly number[];
  /** Who sits in a slot at a tick; null for nobody. */
  steamIdAt(slot: number, tick: number): string | null;
}

/** Reads the file as the game does: who sits where since when. It must be whole and have nothing to run in it. */
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
