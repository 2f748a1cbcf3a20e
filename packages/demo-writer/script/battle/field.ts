import type { ScriptedEvent } from '../game-events.ts';
import type { SiteIndex } from '../map/areas.ts';
import type { Random } from '../random.ts';
import type { PlantedBomb, Projectile, Team } from '../scripted-match.ts';
import { type Fighter, isAlive } from './fighter.ts';
import type { RoundPlan } from './round-plan.ts';

export interface Cloud {
  readonly entityIndex: number;
  readonly kind: 'smoke' | 'fire';
  readonly thrower: Fighter;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly until: number;
}

export interface Flight {
  readonly projectile: Projectile;
  readonly thrower: Fighter;
  readonly from: readonly [x: number, y: number, z: number];
  readonly to: readonly [x: number, y: number, z: number];
  readonly thrownAt: number;
  readonly landsAt: number;
}

/** Everything that one round's fighting needs to know and changes as it goes. */
export interface Field {
  readonly random: Random;
  readonly fighters: readonly Fighter[];
  plan: RoundPlan;
  tick: number;
  /** The first tick that players may move in. */
  liveTick: number;
  /** No more new fights: the round is decided. */
  decided: boolean;
  readonly warmup: boolean;
  /** What happened in this tick so far. */
  events: ScriptedEvent[];
  readonly clouds: Cloud[];
  readonly flights: Flight[];
  nextEntityIndex: number;
  carrier: Fighter | null;
  bomb: PlantedBomb | null;
  /** The planter or defuser at work, and when it is done. */
  work: { readonly kind: 'plant' | 'defuse'; readonly by: Fighter; readonly doneAt: number } | null;
  /** Where the defenders think the attack is. */
  alarm: SiteIndex | null;
  /** Deaths of this match so far: which rare kind of kill comes next depends on it. */
  killCount: number;
}

export function living(field: Field, team: Team): Fighter[] {
  return field.fighters.filter((fighter) => fighter.team === team && isAlive(fighter));
}

/** The carrier of a round that is to have a plant, on its way in: it looks at nothing else. */
export function isOnErrand(field: Field, fighter: Fighter): boolean {
  const { plan, liveTick, tick, bomb } = field;
  return plan.plant && bomb === null && fighter === field.carrier && tick >= liveTick + plan.gatherTicks;
}

export function otherTeam(team: Team): Team {
  return team === 'T' ? 'CT' : 'T';
}

/** Entity indices of grenades go around in a range of their own. */
const GRENADE_INDICES = { first: 700, count: 200 } as const;

export function takeEntityIndex(field: Field): number {
  const index = GRENADE_INDICES.first + (field.nextEntityIndex % GRENADE_INDICES.count);
  field.nextEntityIndex++;
  return index;
}
