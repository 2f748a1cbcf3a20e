import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the fake game reads of the demo that it plays. */
export interface LoadedDemo {
  readonly lastTick: number;
  /** All slots that were ever taken. */
  readonly slots: readonly number[];
  /** The ticks of all kills. */
  readonly kills: readonly number[];
  /** Returns who has a slot at a tick, or null. */
  steamIdAt(slot: number, tick: number): string | null;
}

interface Seat {
  readonly tick: number;
  readonly slot: number;
  readonly steamId: string | null;
}

/**
 * Reads who has which slot since when, and when somebody dies, like the game. The file must be complete and have no
 * commands. Some hundred games play the same few demos, so what is in one is cached by its content.
 */
export async function loadDemo(path: string): Promise<LoadedDemo> {
  const bytes = readFileSync(path);
  if (bytes.includes('rcon_password')) throw new Error('the demo carries a command');
  const cache = join(tmpdir(), `tickreel-demo-${createHash('sha256').update(bytes).digest('hex')}`);
  if (!existsSync(cache)) {
    writeFileSync(`${cache}.${process.pid}`, JSON.stringify(await readPlayed(path)));
    renameSync(`${cache}.${process.pid}`, cache);
  }
  const { lastTick, seats, kills } = JSON.parse(readFileSync(cache, 'utf8')) as Awaited<ReturnType<typeof readPlayed>>;
  return {
    ...{ lastTick, kills },
    slots: [...new Set(seats.filter(({ steamId }) => steamId !== null).map(({ slot }) => slot))],
    steamIdAt: (slot, tick) => seats.findLast((seat) => seat.slot === slot && seat.tick <= tick)?.steamId ?? null,
  };
}

interface Played {
  readonly lastTick: number;
  readonly seats: readonly Seat[];
  readonly kills: readonly number[];
}

async function readPlayed(path: string): Promise<Played> {
  const { readDemo } = await import('#render-host/source2/demo-reader.ts');
  const { createEventDecoder } = await import('#render-host/match/game-events.ts');
  const events = createEventDecoder(new Set(['player_death']));
  const seats: Seat[] = [];
  const kills: number[] = [];
  let lastTick = 0;
  await readDemo(path, {}, () => ({
    fileHeader() {},
    serverInfo() {},
    conVar() {},
    gameEventList: events.setEventList,
    gameEvent(tick, event) {
      if (events.decode(event) !== null) kills.push(tick);
    },
    userInfo(slot, info) {
      seats.push({ tick: lastTick, slot, steamId: info === null || info.ishltv ? null : info.steamid.toString() });
    },
    packetEnd(tick) {
      lastTick = tick;
    },
  }));
  return { lastTick, seats, kills };
}
