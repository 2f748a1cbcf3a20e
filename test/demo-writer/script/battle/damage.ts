import { deathEvent, HITGROUP, type Hit, hurtEvent, type KillFacts, PLAIN_KILL } from '../combat-events.ts';
import { type Field, living } from './field.ts';
import { distanceBetween, type Fighter, isAlive } from './fighter.ts';
import { smokeBetween } from './vision.ts';

export interface Blow {
  /** null: the world. */
  readonly attacker: Fighter | null;
  readonly victim: Fighter;
  readonly weapon: string;
  readonly damage: number;
  readonly armorDamage: number;
  readonly hitgroup: number;
  readonly facts?: Partial<KillFacts>;
}

/** The least damage of an assist, as in the game. */
const ASSIST_DAMAGE = 41;
/** How many of the hero's team stay alive, including the hero: enough that the round is not a clutch. */
const MATES_LEFT = 3;
/** The health of a fighter who must not die in this round. */
const SPARED_HEALTH = 7;

/** Takes health. Kills if the plan of the round allows it. */
export function strike(field: Field, blow: Blow): void {
  const { attacker, victim } = blow;
  if (!isAlive(victim)) return;
  const most = mayDie(field, victim, attacker) ? victim.health : Math.max(0, victim.health - SPARED_HEALTH);
  const damage = Math.min(Math.round(blow.damage), most);
  if (damage <= 0) return;
  victim.health -= damage;
  victim.armor = Math.max(0, victim.armor - blow.armorDamage);
  if (attacker !== null) victim.damageBy.set(attacker.slot, (victim.damageBy.get(attacker.slot) ?? 0) + damage);
  const hit: Hit = {
    attacker: attacker?.userId ?? null,
    victim: victim.userId,
    weapon: blow.weapon,
    damage,
    armorDamage: blow.armorDamage,
    healthLeft: victim.health,
    armorLeft: victim.armor,
    hitgroup: blow.hitgroup,
  };
  field.events.push(hurtEvent(hit));
  if (!isAlive(victim)) die(field, hit, blow);
}

/** Kills, whatever the plan. */
export function slay(field: Field, victim: Fighter, attacker: Fighter | null, weapon: string): void {
  const damage = victim.health;
  victim.health = 0;
  const hit: Hit = {
    attacker: attacker?.userId ?? null,
    victim: victim.userId,
    weapon,
    damage,
    armorDamage: 0,
    healthLeft: 0,
    armorLeft: victim.armor,
    hitgroup: HITGROUP.generic,
  };
  if (attacker !== null) field.events.push(hurtEvent(hit));
  die(field, hit, { attacker, victim, weapon, damage, armorDamage: 0, hitgroup: HITGROUP.generic });
}

function die(field: Field, hit: Hit, { attacker, victim, facts }: Blow): void {
  const helper = helperOf(field, victim, attacker);
  const isKill = attacker !== null && attacker.team !== victim.team;
  if (isKill) attacker.score += 2;
  victim.target = null;
  victim.scoped = false;
  victim.ducking = false;
  victim.defusing = false;
  victim.route = [];
  if (field.work?.by === victim) field.work = null;
  const rare = isKill && !field.warmup ? rareFacts(field, attacker, victim) : {};
  field.events.push(deathEvent(hit, { ...PLAIN_KILL, ...helper, ...facts, ...rare }));
}

function helperOf(field: Field, victim: Fighter, attacker: Fighter | null): Partial<KillFacts> {
  if (attacker === null || attacker === victim) return {};
  const { flashedBy } = victim;
  if (
    victim.blindUntil > field.tick &&
    flashedBy !== null &&
    flashedBy !== attacker &&
    flashedBy.team === attacker.team
  ) {
    return { assister: flashedBy.userId, flashAssist: true };
  }
  const [helper] = [...victim.damageBy]
    .filter(([slot, damage]) => slot !== attacker.slot && damage >= ASSIST_DAMAGE)
    .map(([slot]) => field.fighters[slot])
    .filter((fighter) => fighter !== undefined && fighter.team !== victim.team);
  return helper === undefined ? {} : { assister: helper.userId };
}

/**
 * Returns what made a kill special. Smoke and blindness come from the field. Wallbangs, and sometimes another feat,
 * come in turn, so that a match of a few rounds has all of them.
 */
function rareFacts(field: Field, attacker: Fighter, victim: Fighter): Partial<KillFacts> {
  const turn = field.killCount++;
  return {
    wallbang: turn % 8 === 3,
    throughSmoke: smokeBetween(field, attacker, victim) !== undefined || turn % 11 === 5,
    attackerBlind: attacker.blindUntil > field.tick || turn % 13 === 8,
    noScope: attacker.weapon.scoped && (!attacker.scoped || turn % 2 === 0),
    distance: distanceBetween(attacker, victim),
  };
}

function isLastDefender(field: Field, victim: Fighter): boolean {
  return victim.team === 'CT' && living(field, 'CT').length === 1;
}

/** A round planned for one player must leave them their kills, their life and the last kill. */
function mayDie(field: Field, victim: Fighter, attacker: Fighter | null): boolean {
  const { plan } = field;
  if (field.warmup) return true;
  // Neither the carrier nor the last defender dies before the bomb is planted, because the round would end.
  if (plan.plant && field.bomb === null && (victim === field.carrier || isLastDefender(field, victim))) return false;
  if (plan.hero === null) return true;
  if (victim.slot === plan.hero) return false;
  const hero = field.fighters[plan.hero];
  if (hero === undefined || attacker === hero) return true;
  if (victim.team === hero.team) return living(field, victim.team).length > MATES_LEFT;
  return living(field, victim.team).length > plan.heroKills;
}
