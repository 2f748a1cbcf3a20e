import { EVENT_VALUE } from '#demo-format/game.ts';
import { type EventKeyType, GAME_EVENTS, NOBODY, type ScriptedEvent } from '../script/game-events.ts';
import type { NetMessage } from './container.ts';

/** Returns the list of each event's keys, which comes before the first event. */
export function gameEventList(): NetMessage {
  return [
    'CMsgSource1LegacyGameEventList',
    {
      descriptors: Object.entries(GAME_EVENTS).map(([name, { id, keys }]) => ({
        eventid: id,
        name,
        keys: Object.entries(keys).map(([key, type]) => ({ type: EVENT_VALUE[type as EventKeyType][0], name: key })),
      })),
    },
  ];
}

/** The ids of a player at the moment of an event. */
export interface EventIds {
  /** The id that the demo names them by. */
  wireId(userId: number): number;
  /** Their body. */
  pawnHandle(userId: number): number;
}

export function gameEventMessage(event: ScriptedEvent, ids: EventIds): NetMessage {
  const { id, keys } = GAME_EVENTS[event.name];
  const values: Readonly<Record<string, unknown>> = event.values;
  return [
    'CMsgSource1LegacyGameEvent',
    {
      eventid: id,
      keys: Object.entries<EventKeyType>(keys).map(([key, type]) => {
        const [wireType, field] = EVENT_VALUE[type];
        return { type: wireType, [field]: wireValue(values, key, type, ids) ?? absent(type) };
      }),
    },
  ];
}

function wireValue(values: Readonly<Record<string, unknown>>, key: string, type: EventKeyType, ids: EventIds): unknown {
  if (type === 'controller') {
    const userId = values[key];
    return typeof userId === 'number' && userId !== NOBODY ? ids.wireId(userId) : userId;
  }
  if (type !== 'pawn') return values[key];
  // An event that has lost its player may still have their body.
  const userId = values[key] ?? values[key.replace(/_pawn$/, '')];
  return typeof userId === 'number' && userId !== NOBODY ? ids.pawnHandle(userId) | 0 : -1;
}

function absent(type: EventKeyType): string | number | boolean {
  if (type === 'string') return '';
  if (type === 'uint64') return '0';
  if (type === 'bool') return false;
  return type === 'controller' ? NOBODY : 0;
}
