import { fireEvent, HITGROUP } from '../combat-events.ts';
import type { EventValues } from '../game-events.ts';
import { type AreaName, ATTACK_PATHS, SITES } from '../map/areas.ts';
import { areaAt, areaOf, type FloorPoint, pointIn } from '../map/navigation.ts';
import { inSight } from '../map/sight.ts';
import { type Fire, type GrenadeKind, type Projectile, TICK_RATE } from '../scripted-match.ts';
import { strike } from './damage.ts';
import { type Field, type Flight, living, takeEntityIndex } from './field.ts';
import { distanceBetween, type Fighter, isAlive, wrapDegrees, yawTowards } from './fighter.ts';

/** A planned throw: when, which kind, which team. Ticks after the freeze time. */
export interface Throw {
  readonly atTick: number;
  readonly kind: GrenadeKind;
  readonly team: 'T' | 'CT';
}

const REACH_UNITS = 1500;
const NEAR_UNITS = 250;
const THROW_UNITS_PER_TICK = 900 / TICK_RATE;
const APEX_UNITS = 180;
const SMOKE_TICKS = 18 * TICK_RATE;
const FIRE_TICKS = 7 * TICK_RATE;
const BURN_EVERY_TICKS = 12;
const BURN_DAMAGE = 4;
const FIRE_RADIUS = 120;
const BLAST_RADIUS = 330;
const BLAST_DAMAGE = 62;
const FLASH_RADIUS = 900;

const WEAPON_NAME: Readonly<Record<GrenadeKind, string>> = {
  smoke: 'smokegrenade',
  flash: 'flashbang',
  explosive: 'hegrenade',
  fire: 'molotov',
};

export function planThrows(field: Field): Throw[] {
  const { random, plan } = field;
  const go = plan.gatherTicks;
  return [
    { atTick: Math.round(go * random.between(0.25, 0.6)), kind: 'explosive', team: 'CT' },
    { atTick: Math.round(go * random.between(0.3, 0.7)), kind: 'fire', team: 'CT' },
    { atTick: go - random.whole(60, 200), kind: 'smoke', team: 'T' },
    { atTick: go - random.whole(20, 120), kind: 'smoke', team: 'T' },
    { atTick: go + random.whole(10, 90), kind: 'flash', team: 'T' },
    { atTick: go + random.whole(60, 240), kind: 'flash', team: random.chance(0.5) ? 'T' : 'CT' },
    { atTick: go + random.whole(120, 400), kind: 'explosive', team: 'T' },
    { atTick: go + random.whole(500, 1100), kind: 'smoke', team: 'CT' },
  ];
}

/** A free fighter of the team throws at a target within reach. */
export function throwGrenade(field: Field, { kind, team }: Throw): void {
  const throwers = living(field, team).filter((fighter) => fighter.target === null && field.work?.by !== fighter);
  for (const thrower of throwers) {
    const to = landingPlace(field, thrower);
    if (to === undefined) continue;
    launch(field, thrower, kind, to);
    return;
  }
}

function landingPlace(field: Field, thrower: Fighter): FloorPoint | undefined {
  const { random, plan } = field;
  const site: readonly AreaName[] = SITES[plan.site];
  const paths = ATTACK_PATHS[plan.site].map((path) => path[path.length - 1] ?? path[0]);
  const places = thrower.team === 'T' ? site : [...paths, ...site];
  const reachable = places
    .map((name) => pointIn(areaOf(name), random))
    .filter((place) => {
      const distance = distanceBetween(thrower, place);
      return distance > NEAR_UNITS && distance < REACH_UNITS;
    });
  return reachable[random.whole(0, Math.max(0, reachable.length - 1))];
}

function launch(field: Field, thrower: Fighter, kind: GrenadeKind, to: FloorPoint): void {
  field.events.push(fireEvent(thrower.userId, WEAPON_NAME[kind]));
  thrower.lookAt = to;
  const flightTicks = Math.round(Math.max(24, distanceBetween(thrower, to) / THROW_UNITS_PER_TICK));
  const from = [thrower.x, thrower.y, thrower.z + 60] as const;
  const entityIndex = takeEntityIndex(field);
  field.flights.push({
    projectile: { entityIndex, kind, thrower: thrower.userId, x: from[0], y: from[1], z: from[2] },
    thrower,
    from,
    to: [to.x, to.y, areaAt(to.x, to.y).height + 4],
    thrownAt: field.tick,
    landsAt: field.tick + flightTicks,
  });
}

/** Moves, bursts and burns grenades, and removes what has ended. */
export function advanceGrenades(field: Field): void {
  for (const flight of field.flights.filter(({ landsAt }) => landsAt <= field.tick)) {
    field.flights.splice(field.flights.indexOf(flight), 1);
    burst(field, flight);
  }
  for (const cloud of field.clouds.filter(({ until }) => until <= field.tick)) {
    field.clouds.splice(field.clouds.indexOf(cloud), 1);
    const { entityIndex: entityid, x, y, z } = cloud;
    if (cloud.kind === 'fire') field.events.push({ name: 'inferno_expire', values: { entityid, x, y, z } });
    else
      field.events.push({ name: 'smokegrenade_expired', values: { userid: cloud.thrower.userId, entityid, x, y, z } });
  }
  if (field.tick % BURN_EVERY_TICKS === 0) burn(field);
}

/** Returns the flying grenades of this tick, and the smokes on the ground. */
export function projectilesOf(field: Field): Projectile[] {
  const flying = field.flights.map(({ projectile, from, to, thrownAt, landsAt }) => {
    const part = (field.tick - thrownAt) / (landsAt - thrownAt);
    return {
      ...projectile,
      x: from[0] + (to[0] - from[0]) * part,
      y: from[1] + (to[1] - from[1]) * part,
      z: from[2] + (to[2] - from[2]) * part + 4 * APEX_UNITS * part * (1 - part),
    };
  });
  const lying = field.clouds
    .filter(({ kind }) => kind === 'smoke')
    .map(({ entityIndex, thrower, x, y, z }) => ({
      entityIndex,
      kind: 'smoke' as const,
      thrower: thrower.userId,
      x,
      y,
      z,
    }));
  return [...flying, ...lying];
}

const FLAMES = 14;
const FLAME_EVERY_TICKS = 6;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/** Returns the fires of this tick. A fire spreads flame by flame, farther to one side than to the other. */
export function firesOf(field: Field): Fire[] {
  return field.clouds
    .filter(({ kind }) => kind === 'fire')
    .map(({ entityIndex, thrower, x, y, z, until }) => {
      const age = field.tick - (until - FIRE_TICKS);
      const count = Math.min(FLAMES, 1 + Math.floor(age / FLAME_EVERY_TICKS));
      const flames = Array.from({ length: count }, (_, i) => {
        const away = FIRE_RADIUS * 0.9 * Math.sqrt(i / FLAMES);
        const angle = i * GOLDEN_ANGLE;
        return { x: Math.fround(x + Math.cos(angle) * away), y: Math.fround(y + Math.sin(angle) * away * 0.6), z };
      });
      return { entityIndex, thrower: thrower.userId, x, y, z, flames };
    });
}

function burst(field: Field, { projectile, thrower, to }: Flight): void {
  const [x, y, z] = to;
  const { entityIndex: entityid, kind } = projectile;
  const values: EventValues<'smokegrenade_detonate'> = { userid: thrower.userId, entityid, x, y, z };
  switch (kind) {
    case 'smoke':
      field.events.push({ name: 'smokegrenade_detonate', values });
      field.clouds.push({ entityIndex: entityid, kind, thrower, x, y, z, until: field.tick + SMOKE_TICKS });
      break;
    case 'fire':
      field.events.push({ name: 'inferno_startburn', values: { entityid, x, y, z } });
      field.clouds.push({ entityIndex: entityid, kind, thrower, x, y, z, until: field.tick + FIRE_TICKS });
      break;
    case 'flash':
      field.events.push({ name: 'flashbang_detonate', values });
      for (const fighter of field.fighters) dazzle(field, fighter, thrower, { x, y }, entityid);
      break;
    case 'explosive':
      field.events.push({ name: 'hegrenade_detonate', values });
      for (const fighter of field.fighters) blast(field, fighter, thrower, { x, y });
      break;
  }
}

function dazzle(field: Field, fighter: Fighter, thrower: Fighter, at: FloorPoint, entityid: number): void {
  const distance = distanceBetween(fighter, at);
  if (!isAlive(fighter) || distance > FLASH_RADIUS || !inSight(at.x, at.y, fighter.x, fighter.y)) return;
  const turnedAway = Math.abs(wrapDegrees(yawTowards(fighter, at) - fighter.yaw)) > 90;
  const seconds = (3.2 * (1 - distance / FLASH_RADIUS) + 0.4) * (turnedAway ? 0.3 : 1);
  fighter.flashDuration = seconds;
  fighter.blindUntil = field.tick + Math.round(seconds * TICK_RATE * 0.7);
  fighter.flashedBy = thrower;
  field.events.push({
    name: 'player_blind',
    values: { userid: fighter.userId, attacker: thrower.userId, entityid, blind_duration: Math.fround(seconds) },
  });
}

function blast(field: Field, fighter: Fighter, thrower: Fighter, at: FloorPoint): void {
  const distance = distanceBetween(fighter, at);
  if (fighter.team === thrower.team || distance > BLAST_RADIUS || !inSight(at.x, at.y, fighter.x, fighter.y)) return;
  const damage = BLAST_DAMAGE * (1 - distance / BLAST_RADIUS);
  const armorDamage = Math.min(fighter.armor, Math.round(damage * 0.3));
  strike(field, {
    attacker: thrower,
    victim: fighter,
    weapon: 'hegrenade',
    damage,
    armorDamage,
    hitgroup: HITGROUP.generic,
  });
}

function burn(field: Field): void {
  for (const { kind, thrower, x, y } of field.clouds) {
    if (kind !== 'fire') continue;
    for (const victim of field.fighters) {
      if (victim.team === thrower.team || distanceBetween(victim, { x, y }) > FIRE_RADIUS) continue;
      const hit = { damage: BURN_DAMAGE, armorDamage: 0, hitgroup: HITGROUP.generic };
      strike(field, { attacker: thrower, victim, weapon: 'inferno', ...hit });
    }
  }
}
