import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { EVENT_VALUE } from '#demo-format/game.ts';
import type { GameEventList, GameEventMessage } from '../source2/demo-reader.ts';

/** The events that are read, of one build of the game: its ids and the order of its fields differ between builds. */
export type EventList = z.infer<typeof EventList>;

const EventList = z
  .array(z.object({ id: z.int(), name: z.string().max(64), fields: z.array(z.string().max(64)).max(64) }))
  .max(200);

/** Each list of a build, with up to two accounts whose demos have it. */
const Stored = z.record(z.string(), z.array(z.object({ list: EventList, accounts: z.array(z.string()).max(2) })));

/** The lists of events of demos, for demos of the same build that have lost theirs. */
export interface KeptEventLists {
  /**
   * Returns the list of each build that an account may rely on. `account` is the gateway's opaque word for it, or null.
   */
  known(account: string | null): Promise<Readonly<Record<string, EventList>>>;
  /** Adds the list of a demo. Never rejects: an error of the disk only loses it. */
  add(build: string, account: string | null, list: EventList): Promise<void>;
}

/** A build is played for some weeks. */
const MOST_BUILDS = 32;
/** Of one build, because anybody can make up lists. */
const MOST_LISTS = 8;
const FILE = 'event-lists.json';

/**
 * Keeps event lists in a file of a folder. A list counts for the account whose demo had it, and for all once demos of
 * two accounts have it, so that nobody can change how the demos of others are read.
 */
export function createKeptEventLists(folder: string): KeptEventLists {
  const path = join(folder, FILE);
  let writing: Promise<void> = Promise.resolve();

  async function read(): Promise<z.infer<typeof Stored>> {
    try {
      return Stored.parse(JSON.parse(await readFile(path, 'utf8')));
    } catch {
      return {};
    }
  }

  async function store(build: string, account: string, list: EventList): Promise<void> {
    const stored = await read();
    const lists = stored[build] ?? [];
    const text = JSON.stringify(list);
    const same = lists.find((one) => JSON.stringify(one.list) === text);
    if (same?.accounts.includes(account) || same?.accounts.length === 2) return;
    if (same !== undefined) same.accounts.push(account);
    else if (lists.length < MOST_LISTS) lists.push({ list, accounts: [account] });
    // Numbers are in their order in an object, so the oldest builds go.
    const kept = Object.fromEntries(Object.entries({ ...stored, [build]: lists }).slice(-MOST_BUILDS));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(`${path}.new`, JSON.stringify(kept));
    await rename(`${path}.new`, path);
  }

  return {
    async known(account) {
      const entries = Object.entries(await read()).flatMap(([build, lists]): [string, EventList][] => {
        const own = lists.find(({ accounts }) => account !== null && accounts.includes(account));
        const agreed = lists.find(({ accounts }) => accounts.length === 2);
        const found = own ?? agreed;
        return found === undefined ? [] : [[build, found.list]];
      });
      return Object.fromEntries(entries);
    },

    add(build, account, list) {
      const parsed = EventList.safeParse(list);
      if (account === null || !parsed.success) return Promise.resolve();
      writing = writing.then(() => store(build, account, parsed.data)).catch(() => {});
      return writing;
    },
  };
}

export interface GameEvent {
  readonly name: string;
  text(field: string): string;
  number(field: string): number;
  flag(field: string): boolean;
  /** Returns null if the event has no such field. */
  optional(field: string): number | null;
}

interface EventDescriptor {
  readonly name: string;
  readonly fields: ReadonlyMap<string, number>;
}

export interface EventDecoder {
  setEventList(list: GameEventList): void;
  /** Uses a list of another demo of the same build, until the demo has its own. */
  useEventList(list: EventList): void;
  /** Returns the wanted events of the demo's own list; null if it has none. */
  ownList(): EventList | null;
  /** Returns null for an event that is not wanted. */
  decode(message: GameEventMessage): GameEvent | null;
}

/**
 * Decodes `CMsgSource1LegacyGameEvent` messages. Their values come by position. The event list at the start of the demo
 * has their names, and differs between builds of the game.
 */
export function createEventDecoder(wanted: ReadonlySet<string>): EventDecoder {
  const descriptors = new Map<number, EventDescriptor>();
  let own: EventList | null = null;

  function useEventList(list: EventList): void {
    descriptors.clear();
    for (const { id, name, fields } of list) {
      descriptors.set(id, { name, fields: new Map(fields.map((field, index) => [field, index])) });
    }
  }

  return {
    useEventList,
    ownList: () => own,
    setEventList(list: GameEventList): void {
      own = list.descriptors
        .filter(({ name }) => wanted.has(name))
        .map(({ eventid, name, keys }) => ({ id: eventid, name, fields: keys.map((key) => key.name) }));
      useEventList(own);
    },

    decode({ eventid, keys }: GameEventMessage): GameEvent | null {
      const descriptor = descriptors.get(eventid);
      return descriptor === undefined ? null : createEvent(descriptor, keys);
    },
  };
}

function createEvent({ name, fields }: EventDescriptor, keys: GameEventMessage['keys']): GameEvent {
  const value = (field: string) => {
    const index = fields.get(field);
    const key = index === undefined ? undefined : keys[index];
    return key === undefined ? undefined : keyValue(key);
  };
  const number = (field: string) => {
    const found = value(field);
    return typeof found === 'number' ? found : Number(found ?? 0);
  };
  return {
    name,
    number,
    text: (field) => String(value(field) ?? ''),
    flag: (field) => Boolean(value(field)),
    optional: (field) => (fields.has(field) ? number(field) : null),
  };
}

const FIELD_OF_TYPE = new Map<number, keyof GameEventMessage['keys'][number]>(Object.values(EVENT_VALUE));

function keyValue(key: GameEventMessage['keys'][number]): string | number | boolean | undefined {
  const field = FIELD_OF_TYPE.get(key.type);
  const value = field === undefined ? undefined : key[field];
  return typeof value === 'object' ? Number(value) : value;
}

/** The game's clock and match as servers set them where a demo does not say otherwise. */
const DEFAULT_ROUND_SECONDS = 115;

export interface GameVariables {
  note(tick: number, name: string, value: string): void;
  /** Returns a number as it was at a tick; null if the demo has not sent it. */
  at(name: string, tick: number): number | null;
  /** Returns the length of a round that starts at a tick: by the kind of the map, else `mp_roundtime`. */
  roundSeconds(map: string, tick: number): number;
  /** Returns the most rounds of the match and of each overtime; null if the demo does not say. */
  matchRounds(): { readonly regular: number; readonly overtime: number } | null;
}

const WANTED = new Set([
  ...['mp_roundtime', 'mp_roundtime_defuse', 'mp_roundtime_hostage', 'mp_c4timer'],
  ...['mp_maxrounds', 'mp_overtime_enable', 'mp_overtime_maxrounds', 'mp_teammates_are_enemies'],
]);
/** A server sends them at its start and rarely again. */
const MOST_CHANGES = 1000;
/** The game's default of `mp_overtime_maxrounds`. */
const OVERTIME_ROUNDS = 6;

/** Collects the server's variables that say how long things last. They may change during a match. */
export function createGameVariables(): GameVariables {
  const changes: { readonly tick: number; readonly name: string; readonly value: number }[] = [];

  function at(name: string, tick: number): number | null {
    const known = changes.filter((change) => change.name === name);
    return (known.findLast((change) => change.tick <= tick) ?? known[0])?.value ?? null;
  }

  return {
    note(tick, name, text) {
      const value = text === 'true' ? 1 : text === 'false' ? 0 : Number(text);
      if (WANTED.has(name) && Number.isFinite(value) && changes.length < MOST_CHANGES) {
        changes.push({ tick, name, value });
      }
    },
    at,
    roundSeconds(map, tick) {
      const own = at(map.startsWith('cs_') ? 'mp_roundtime_hostage' : 'mp_roundtime_defuse', tick) ?? 0;
      const minutes = own > 0 ? own : (at('mp_roundtime', tick) ?? 0);
      return minutes > 0 ? Math.round(minutes * 60) : DEFAULT_ROUND_SECONDS;
    },
    matchRounds() {
      const regular = at('mp_maxrounds', Infinity);
      if (regular === null || regular <= 0) return null;
      const hasOvertime = (at('mp_overtime_enable', Infinity) ?? 0) > 0;
      return { regular, overtime: hasOvertime ? (at('mp_overtime_maxrounds', Infinity) ?? OVERTIME_ROUNDS) : 0 };
    },
  };
}
