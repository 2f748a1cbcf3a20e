import { EVENT_VALUE } from '#demo-format/game.ts';
import type { GameEventList, GameEventMessage } from '../source2/demo-reader.ts';
import type { EventList } from './kept-event-lists.ts';

/** A game event with its values by field name. */
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
