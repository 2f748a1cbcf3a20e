import { BOMB_FUSE_SECONDS } from '#scene/match/match.ts';
import { addAtMost } from './demo-view.ts';
import type { SampledBomb } from './entity-sampler.ts';
import type { GameEvent } from './game-events.ts';
import type { Flame, MapEffect, PlayerIndex, Position } from './match.ts';

/** Seconds of an effect whose end the demo does not report: the game's default. */
const SECONDS = {
  smoke: 20,
  fire: 7,
  flash: 0.5,
  explosion: 0.5,
  decoy: 15,
  bomb: BOMB_FUSE_SECONDS,
} as const satisfies Record<MapEffect['kind'], number>;

/** A long match has two thousand. */
const MOST_EFFECTS = 20_000;

export const EFFECT_EVENTS = [
  'smokegrenade_detonate',
  'smokegrenade_expired',
  'inferno_startburn',
  'inferno_expire',
  'inferno_extinguish',
  'flashbang_detonate',
  'hegrenade_detonate',
  'decoy_started',
  'decoy_detonate',
  'bomb_planted',
  'bomb_defused',
  'bomb_exploded',
] as const;

export interface EffectRecorder {
  /** `player` is whom the event names. `actor` is their position, because the bomb's events have none. */
  handle(tick: number, event: GameEvent, actor: Position | null, player: PlayerIndex | null): void;
  /** Notes the burning flames of a fire by number; null for one that is out. */
  burn(tick: number, entity: number, flames: readonly (Position | null)[]): void;
  /** Notes a cloud of smoke. Recordings of players lack the events of what they do not see. */
  cloud(tick: number, entity: number, at: Position): void;
  /** Notes the planted bomb as its entity is; null if there is none. `defuser` is the player who defused it. */
  bomb(tick: number, seen: Omit<SampledBomb, 'defuser'> | null, defuser: PlayerIndex | null): void;
  /** @param roundStarts ascending ticks. A new round clears the map. */
  finish(roundStarts: readonly number[]): readonly MapEffect[];
}

interface OpenEffect extends Position {
  readonly kind: MapEffect['kind'];
  readonly startTick: number;
  endTick: number;
  fuseSeconds?: number;
  defusedBy?: PlayerIndex;
  /** Whether the end was reported, not assumed. */
  ended: boolean;
  /** Includes the burning ones. */
  flames: OpenFlame[];
}

interface OpenFlame extends Flame {
  endTick: number;
}

/** An entity that was not there for so long is another one with its number. */
const APART_TICKS = 16;

/** A fire has sixteen. In a crafted recording they may go out and on without end. */
const MOST_FLAMES = 64;

/** Turns grenade and bomb events into effects with a start and an end, in tick order. */
export function createEffectRecorder(
  tickRate: () => number,
  /** Returns the bomb's fuse in seconds as the server had set it; null if it did not say. */
  fuseAt: (tick: number) => number | null,
  lastTick: number,
): EffectRecorder {
  const effects: OpenEffect[] = [];
  /** Active effects by their entity in the game. */
  const byEntity = new Map<number, OpenEffect>();
  const burning = new Map<OpenEffect, (OpenFlame | null)[]>();
  let bomb: OpenEffect | null = null;
  /** The bomb's end is known. Its entity stays for a while. */
  let isSettled = false;
  let isBombSeen = false;
  /** When an entity of an effect was last there. */
  const seenAt = new Map<number, number>();

  function start(kind: MapEffect['kind'], tick: number, { x, y, z }: Position): OpenEffect {
    const fuse = kind === 'bomb' ? fuseAt(tick) : null;
    const endTick = Math.min(lastTick, tick + Math.round((fuse ?? SECONDS[kind]) * tickRate()));
    const effect: OpenEffect = { kind, startTick: tick, endTick, x, y, z, ended: false, flames: [] };
    if (fuse !== null) effect.fuseSeconds = fuse;
    addAtMost(effects, MOST_EFFECTS, 'grenades', effect);
    return effect;
  }

  function end(effect: OpenEffect | null | undefined, tick: number): void {
    if (!effect || effect.ended) return;
    effect.endTick = Math.max(effect.startTick, tick);
    effect.ended = true;
  }

  /** Whether the effect of an event is that of an entity which was just seen. */
  function isSeen(entity: number, kind: MapEffect['kind'], tick: number): boolean {
    const known = byEntity.get(entity);
    return known?.kind === kind && !known.ended && tick - (seenAt.get(entity) ?? -Infinity) <= APART_TICKS;
  }

  /** Starts the effect of an entity, unless it was there before or an event has told of it. */
  function see(kind: 'smoke' | 'fire', tick: number, entity: number, at: Position): void {
    const before = seenAt.get(entity) ?? -Infinity;
    seenAt.set(entity, tick);
    const known = byEntity.get(entity);
    const isTold = known?.kind === kind && tick <= known.endTick;
    if (tick - before > APART_TICKS && !isTold) byEntity.set(entity, start(kind, tick, at));
  }

  function settle(tick: number, how: 'defused' | 'exploded', defuser: PlayerIndex | null): void {
    if (bomb !== null && how === 'defused' && defuser !== null) bomb.defusedBy = defuser;
    if (bomb !== null && how === 'exploded') start('explosion', tick, bomb);
    end(bomb, tick);
    bomb = null;
    isSettled = true;
  }

  return {
    handle(tick, event, actor, player) {
      const entity = event.number('entityid');
      switch (event.name) {
        case 'smokegrenade_detonate':
          if (!isSeen(entity, 'smoke', tick)) byEntity.set(entity, start('smoke', tick, positionOf(event)));
          break;
        case 'inferno_startburn':
          if (!isSeen(entity, 'fire', tick)) byEntity.set(entity, start('fire', tick, positionOf(event)));
          break;
        case 'decoy_started':
          byEntity.set(entity, start('decoy', tick, positionOf(event)));
          break;
        case 'decoy_detonate':
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
          if (actor !== null) bomb = start('bomb', tick, actor);
          isSettled = false;
          break;
        case 'bomb_defused':
          settle(tick, 'defused', player);
          break;
        case 'bomb_exploded':
          settle(tick, 'exploded', null);
          break;
      }
    },

    cloud(tick, entity, at) {
      see('smoke', tick, entity, at);
    },

    bomb(tick, seen, defuser) {
      if (seen === null) {
        if (isBombSeen) bomb = null;
        isBombSeen = false;
        isSettled = false;
      } else if (seen.state === 'defused' || seen.state === 'exploded') settle(tick, seen.state, defuser);
      else if (seen.state === 'ticking' && !isSettled) {
        isBombSeen = true;
        bomb ??= start('bomb', tick, seen);
        if (seen.fuseSeconds === null || bomb.fuseSeconds === seen.fuseSeconds) return;
        bomb.fuseSeconds = seen.fuseSeconds;
        bomb.endTick = Math.min(lastTick, bomb.startTick + Math.round(seen.fuseSeconds * tickRate()));
      }
    },

    burn(tick, entity, now) {
      const first = now.find((flame) => flame !== null);
      if (first !== undefined && first !== null) see('fire', tick, entity, first);
      const fire = byEntity.get(entity);
      if (fire?.kind !== 'fire') return;
      const before = burning.get(fire) ?? [];
      burning.set(
        fire,
        now.map((place, number) => {
          const flame = before[number] ?? null;
          if (place === null && flame !== null) flame.endTick = tick;
          if (place === null || flame !== null) return place === null ? null : flame;
          if (fire.flames.length >= MOST_FLAMES) return null;
          const lit = { x: Math.round(place.x), y: Math.round(place.y), startTick: tick, endTick: Infinity };
          fire.flames.push(lit);
          return lit;
        }),
      );
    },

    finish: (roundStarts) =>
      effects.map(({ ended, flames, ...effect }) => {
        const cleared = ended ? undefined : roundStarts.find((tick) => tick > effect.startTick);
        const endTick = Math.min(effect.endTick, cleared ?? effect.endTick);
        const burnt = flames.map((flame) => ({ ...flame, endTick: Math.min(flame.endTick, endTick) }));
        return { ...effect, endTick, ...(burnt.length === 0 ? {} : { flames: burnt }) };
      }),
  };
}

function positionOf(event: GameEvent): Position {
  return { x: event.number('x'), y: event.number('y'), z: event.number('z') };
}
