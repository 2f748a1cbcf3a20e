/** A game event by the names of its fields, whatever wire type each has. */
export interface GameEvent {
  readonly name: string;
  text(field: string): string;
  number(field: string): number;
  flag(field: string): boolean;
  /** The slot of the player the field names, or null for nobody (the world). */
  slot(field: string): number | null;
}

interface EventKey {
  readonly type: number;
  readonly valString: string;
  readonly valFloat: number;
  readonly valLong: number;
  readonly valShort: number;
  readonly valByte: number;
  readonly valBool: boolean;
}

interface EventDescriptor {
  readonly name: string;
  readonly fields: ReadonlyMap<string, number>;
}

/**
 * Decodes `CMsgSource1LegacyGameEvent` messages. Their fields come by position; the event list at the start of the
 * demo names them, and differs between builds of the game.
 */
export function createEventDecoder(wanted: ReadonlySet<string>) {
  const descriptors = new Map<number, EventDescriptor>();

  return {
    learn(message: unknown): void {
      const list = message as {
        descriptors: readonly { eventid: number; name: string; keys: readonly { name: string }[] }[];
      };
      for (const { eventid, name, keys } of list.descriptors) {
        if (!wanted.has(name)) continue;
        descriptors.set(eventid, { name, fields: new Map(keys.map((key, index) => [key.name, index])) });
      }
    },

    /** null for an event that nobody wants. */
    decode(message: unknown): GameEvent | null {
      const { eventid, keys } = message as { eventid: number; keys: readonly EventKey[] };
      const descriptor = descriptors.get(eventid);
      return descriptor === undefined ? null : createEvent(descriptor, keys);
    },
  };
}

function createEvent({ name, fields }: EventDescriptor, keys: readonly EventKey[]): GameEvent {
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
    slot: (field) => {
      const userId = fields.has(field) ? number(field) : NOBODY;
      // The slot is the low byte; 0xffff (or -1) names nobody.
      return userId < 0 || userId === NOBODY ? null : userId & 0xff;
    },
  };
}

const NOBODY = 0xffff;

/** Wire types of `CSVCMsg_GameEventList`: 8 and 9 are an entity handle and a player. */
function keyValue(key: EventKey): string | number | boolean | undefined {
  switch (key.type) {
    case 1:
      return key.valString;
    case 2:
      return key.valFloat;
    case 3:
    case 8:
      return key.valLong;
    case 4:
    case 9:
      return key.valShort;
    case 5:
      return key.valByte;
    case 6:
      return key.valBool;
    default:
      return undefined;
  }
}
