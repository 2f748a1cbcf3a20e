import { type EventKeyType, GAME_EVENTS, type GameEvent, NOBODY } from '../script/game-events.ts';
import type { NetMessage } from './container.ts';

/** Type numbers of the wire, and the field that carries a value of that type. */
const WIRE: Readonly<Record<EventKeyType, readonly [type: number, field: string]>> = {
  string: [1, 'val_string'],
  float: [2, 'val_float'],
  long: [3, 'val_long'],
  short: [4, 'val_short'],
  byte: [5, 'val_byte'],
  bool: [6, 'val_bool'],
  uint64: [7, 'val_uint64'],
  pawn: [8, 'val_long'],
  controller: [9, 'val_short'],
};

/** The list of every event's keys that comes before the first event. */
export function gameEventList(): NetMessage {
  return [
    'CMsgSource1LegacyGameEventList',
    {
      descriptors: Object.entries(GAME_EVENTS).map(([name, { id, keys }]) => ({
        eventid: id,
        name,
        keys: Object.entries(keys).map(([key, type]) => ({ type: WIRE[type as EventKeyType][0], name: key })),
      })),
    },
  ];
}

/** @param pawnHandle the body of the player with a userid */
export function gameEventMessage(event: GameEvent, pawnHandle: (userId: number) => number): NetMessage {
  const { id, keys } = GAME_EVENTS[event.name];
  const values: Readonly<Record<string, unknown>> = event.values;
  return [
    'CMsgSource1LegacyGameEvent',
    {
      eventid: id,
      keys: Object.entries<EventKeyType>(keys).map(([key, type]) => {
        const [wireType, field] = WIRE[type];
        const value = type === 'pawn' ? pawnOf(values[key.replace(/_pawn$/, '')], pawnHandle) : values[key];
        return { type: wireType, [field]: value ?? absent(type) };
      }),
    },
  ];
}

function pawnOf(userId: unknown, pawnHandle: (userId: number) => number): number {
  return typeof userId === 'number' && userId !== NOBODY ? pawnHandle(userId) | 0 : -1;
}

function absent(type: EventKeyType): string | number | boolean {
  if (type === 'string') return '';
  if (type === 'uint64') return '0';
  if (type === 'bool') return false;
  return type === 'controller' ? NOBODY : 0;
}
