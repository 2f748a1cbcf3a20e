import type { GameEvent } from './game-events.ts';
import { BOMB_FUSE_SECONDS } from './game-rules.ts';
import type { MapEffect } from './match.ts';

/** Seconds an effect lasts when the demo does not report its end: what the game takes without interference. */
const SECONDS = { smoke: 20, fire: 7, flash: 0.5, explosion: 0.5, bomb: BOMB_FUSE_SECONDS } as const satisfies Record<
  MapEffect['kind'],
  number
>;

export const EFFECT_EVENTS = [
  'smokegrenade_detonate',
  'smokegrenade_expired',
  'inferno_startburn',
  'inferno_expire',
  'inferno_extinguish',
  'flashbang_detonate',
  'hegrenade_detonate',
  'bomb_planted',
  'bomb_defused',
  'bomb_exploded',
] as const;

type Position = Pick<MapEffect, 'x' | 'y' | 'z'>;

export interface EffectRecorder {
  /** `actor`: where the player stands whom the event names; the bomb's events carry no position of their own. */
  handle(tick: number, event: GameEvent, actor: Position | null): void;
  /** A new round clears the map. */
  roundStarted(tick: number): void;
  finish(): readonly MapEffect[];
}

interface OpenEffect extends Position {
  readonly kind: MapEffect['kind'];
  readonly startTick: number;
  endTick: number;
  /** The end was reported, not assumed. */
  ended: boolean;
}

/** Turns grenade and bomb events into effects with a start and an end, in tick order. */
export function createEffectRecorder(tickRate: number, lastTick: number): EffectRecorder {
  const effects: OpenEffect[] = [];
  /** What is burning or smoking now, by the entity that the game made for it. */
  const byEntity = new Map<number, OpenEffect>();
  let bomb: OpenEffect | null = null;

  function start(kind: MapEffect['kind'], tick: number, { x, y, z }: Position): OpenEffect {
    const endTick = Math.min(lastTick, tick + Math.round(SECONDS[kind] * tickRate));
    const effect: OpenEffect = { kind, startTick: tick, endTick, x, y, z, ended: false };
    effects.push(effect);
    return effect;
  }

  function end(effect: OpenEffect | null | undefined, tick: number): void {
    if (!effect || effect.ended) return;
    effect.endTick = Math.max(effect.startTick, tick);
    effect.ended = true;
  }

  return {
    handle(tick, event, actor) {
      const entity = event.number('entityid');
      switch (event.name) {
        case 'smokegrenade_detonate':
          byEntity.set(entity, start('smoke', tick, positionOf(event)));
          break;
        case 'inferno_startburn':
          byEntity.set(entity, start('fire', tick, positionOf(event)));
          break;
        case 'smokegrenade_expired':
        case 'inferno_expire':
        case 'inferno_extinguish':
          end(byEntity.get(entity), tick);
          byEntity.delete(entity);
          break;
        case 'flashbang_detonate':
          start('flash', tick, positionOf(event));
          break;
        case 'hegrenade_detonate':
          start('explosion', tick, positionOf(event));
          break;
        case 'bomb_planted':
          bomb = actor === null ? null : start('bomb', tick, actor);
          break;
        case 'bomb_defused':
          end(bomb, tick);
          bomb = null;
          break;
        case 'bomb_exploded':
          if (bomb !== null) start('explosion', tick, bomb);
          end(bomb, tick);
          bomb = null;
          break;
      }
    },

    roundStarted(tick) {
      for (const effect of effects.slice(-OPEN_AT_MOST)) {
        if (!effect.ended && effect.endTick > tick) end(effect, tick);
      }
      byEntity.clear();
      bomb = null;
    },

    finish: () => effects.map(({ ended: _, ...effect }) => effect),
  };
}

/** A round leaves fewer grenades than this behind; older ones have run out. */
const OPEN_AT_MOST = 64;

function positionOf(event: GameEvent): Position {
  return { x: event.number('x'), y: event.number('y'), z: event.number('z') };
}
