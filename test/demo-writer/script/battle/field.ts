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

/** The state of one round's fighting. */
export interface Field {
  readonly random: Random;
  readonly fighters: readonly Fighter[];
  plan: RoundPlan;
  tick: number;
  /** The first tick at which players may move. */
  liveTick: number;
  /** Whether the round is decided, so that no fight begins. */
  decided: boolean;
  readonly warmup: boolean;
  /** The events of this tick so far. */
  events: ScriptedEvent[];
  readonly clouds: Cloud[];
  readonly flights: Flight[];
  nextEntityIndex: number;
  carrier: Fighter | null;
  bomb: PlantedBomb | null;
  /** Who plants or defuses, and when it is done. */
  work: { readonly kind: 'plant' | 'defuse'; readonly by: Fighter; readonly doneAt: number } | null;
  /** The site that the defenders expect an attack on. */
  alarm: SiteIndex | null;
  /** Deaths of this match so far, which choose the next special kill. */
  killCount: number;
}

export function living(field: Field, team: Team): Fighter[] {
  return field.fighters.filter((fighter) => fighter.team === team && isAlive(fighter));
}

/** Whether a fighter carries the bomb to its plant, and ignores everything else. */
export function isOnErrand(field: Field, fighter: Fighter): boolean {
  const { plan, liveTick, tick, bomb } = field;
  return plan.plant && bomb === null && fighter === field.carrier && tick >= liveTick + plan.gatherTicks;
}

export function otherTeam(team: Team): Team {
  return team === 'T' ? 'CT' : 'T';
}

/** Entity indices of grenades, which are reused. */
const GRENADE_INDICES = { first: 700, count: 200 } as const;

export function takeEntityIndex(field: Field): number {
  const index = GRENADE_INDICES.first + (field.nextEntityIndex % GRENADE_INDICES.count);
  field.nextEntityIndex++;
  return index;
}
