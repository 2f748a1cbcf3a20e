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
  /** Returns since when who has a slot is dead; null if they live. */
  deadSince(slot: number, tick: number): number | null;
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
  const cache = join(tmpdir(), `tickreel-deaths-${createHash('sha256').update(bytes).digest('hex')}`);
  if (!existsSync(cache)) {
    writeFileSync(`${cache}.${process.pid}`, JSON.stringify(await readPlayed(path)));
    renameSync(`${cache}.${process.pid}`, cache);
  }
  const { lastTick, seats, deaths } = JSON.parse(readFileSync(cache, 'utf8')) as Awaited<ReturnType<typeof readPlayed>>;
  return {
    lastTick,
    kills: deaths.map(({ tick }) => tick),
    slots: [...new Set(seats.filter(({ steamId }) => steamId !== null).map(({ slot }) => slot))],
    steamIdAt: (slot, tick) => seats.findLast((seat) => seat.slot === slot && seat.tick <= tick)?.steamId ?? null,
    deadSince: (slot, tick) =>
      deaths.findLast((death) => death.slot === slot && death.tick <= tick && tick < (death.until ?? Infinity))?.tick ??
      null,
  };
}

/** Events after which all players live. Recordings since February 2024 have no `round_start`. */
const REVIVALS = ['round_start', 'round_freeze_end'];

interface Played {
  readonly lastTick: number;
  readonly seats: readonly Seat[];
  /** `until`: when the next round begins. */
  readonly deaths: readonly { readonly tick: number; readonly slot: number | undefined; until?: number }[];
}

async function readPlayed(path: string): Promise<Played> {
  const { readDemo } = await import('#render-host/source2/demo-reader.ts');
  const { createEventDecoder } = await import('#render-host/match/game-events.ts');
  const events = createEventDecoder(new Set(['player_death', ...REVIVALS]));
  const seats: Seat[] = [];
  const deaths: Played['deaths'][number][] = [];
  const slots = new Map<number, number>();
  let lastTick = 0;
  await readDemo(path, {}, () => ({
    fileHeader() {},
    serverInfo() {},
    conVar() {},
    gameEventList: events.setEventList,
    gameEvent(tick, event) {
      const decoded = events.decode(event);
      if (decoded?.name === 'player_death') deaths.push({ tick, slot: slots.get(decoded.number('userid')) });
      if (decoded !== null && REVIVALS.includes(decoded.name)) for (const death of deaths) death.until ??= tick;
    },
    userInfo(slot, info) {
      if (info !== null) slots.set(info.userid, slot);
      seats.push({ tick: lastTick, slot, steamId: info === null || info.ishltv ? null : info.steamid.toString() });
    },
    packetEnd(tick) {
      lastTick = tick;
    },
  }));
  return { lastTick, seats, deaths };
}
