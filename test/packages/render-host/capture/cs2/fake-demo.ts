import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the fake game reads of the demo that it plays. */
export interface LoadedDemo {
  readonly lastTick: number;
  /** All slots that were ever taken. */
  readonly slots: readonly number[];
  /** Returns who has a slot at a tick, or null. */
  steamIdAt(slot: number, tick: number): string | null;
}

interface Seat {
  readonly tick: number;
  readonly slot: number;
  readonly steamId: string | null;
}

/**
 * Reads who has which slot since when, like the game. The file must be complete and have no commands. Some hundred
 * games play the same few demos, so what is in one is cached by its content.
 */
export async function loadDemo(path: string): Promise<LoadedDemo> {
  const bytes = readFileSync(path);
  if (bytes.includes('rcon_password')) throw new Error('the demo carries a command');
  const cache = join(tmpdir(), `tickreel-seats-${createHash('sha256').update(bytes).digest('hex')}`);
  if (!existsSync(cache)) {
    writeFileSync(`${cache}.${process.pid}`, JSON.stringify(await readSeats(path)));
    renameSync(`${cache}.${process.pid}`, cache);
  }
  const { lastTick, seats } = JSON.parse(readFileSync(cache, 'utf8')) as Awaited<ReturnType<typeof readSeats>>;
  return {
    lastTick,
    slots: [...new Set(seats.filter(({ steamId }) => steamId !== null).map(({ slot }) => slot))],
    steamIdAt: (slot, tick) => seats.findLast((seat) => seat.slot === slot && seat.tick <= tick)?.steamId ?? null,
  };
}

async function readSeats(path: string): Promise<{ readonly lastTick: number; readonly seats: readonly Seat[] }> {
  const { readDemo } = await import('#render-host/source2/demo-reader.ts');
  const seats: Seat[] = [];
  let lastTick = 0;
  await readDemo(path, {}, () => ({
    fileHeader() {},
    serverInfo() {},
    conVar() {},
    gameEventList() {},
    gameEvent() {},
    userInfo(slot, info) {
      seats.push({ tick: lastTick, slot, steamId: info === null || info.ishltv ? null : info.steamid.toString() });
    },
    packetEnd(tick) {
      lastTick = tick;
    },
  }));
  return { lastTick, seats };
}
