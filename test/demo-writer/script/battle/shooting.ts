import { fireEvent, HITGROUP } from '../combat-events.ts';
import type { Random } from '../random.ts';
import { strike } from './damage.ts';
import { type Field, isOnErrand } from './field.ts';
import { distanceBetween, type Fighter, isAlive } from './fighter.ts';
import { engage, isVisible } from './vision.ts';

/** The view must be this close to the enemy before the first shot. */
const AIM_DEGREES = 2.5;
const HERO_FACTOR = 2.6;
const BLIND_FACTOR = 0.3;
/** The distance of a weapon's accuracy. */
const ACCURACY_UNITS = 700;
const NO_SCOPE_UNITS = 350;

/** Parts of the body with their share of hits and of damage. The head's damage depends on the weapon. */
const BODY = [
  { hitgroup: HITGROUP.head, share: 0.2, factor: 0 },
  { hitgroup: HITGROUP.chest, share: 0.38, factor: 1 },
  { hitgroup: HITGROUP.stomach, share: 0.2, factor: 1.25 },
  { hitgroup: HITGROUP.leftArm, share: 0.06, factor: 1 },
  { hitgroup: HITGROUP.rightArm, share: 0.06, factor: 1 },
  { hitgroup: HITGROUP.leftLeg, share: 0.05, factor: 0.75 },
  { hitgroup: HITGROUP.rightLeg, share: 0.05, factor: 0.75 },
] as const;

/** @param offDegrees angle between the view and the enemy */
export function shoot(field: Field, fighter: Fighter, offDegrees: number): void {
  const { target, weapon } = fighter;
  if (target === null || field.tick < fighter.readyAt || offDegrees > AIM_DEGREES || !isAlive(target)) return;
  const { random } = field;
  if (distanceBetween(fighter, target) < NO_SCOPE_UNITS) fighter.scoped = false;
  field.events.push(fireEvent(fighter.userId, weapon.name));
  fighter.burstLeft--;
  fighter.readyAt = field.tick + weapon.cycleTicks;
  if (fighter.burstLeft <= 0) {
    fighter.burstLeft = random.whole(...weapon.burst);
    fighter.readyAt += random.whole(10, 26);
    fighter.sidestep = random.whole(-1, 1);
  }
  if (isVisible(field, fighter, target) && random.chance(hitChance(field, fighter, target)))
    hit(field, fighter, target);
}

function hitChance(field: Field, fighter: Fighter, target: Fighter): number {
  const { plan } = field;
  const distance = Math.max(150, distanceBetween(fighter, target));
  const range = Math.sqrt(ACCURACY_UNITS / distance);
  const moving = Math.hypot(target.velocityX, target.velocityY) > 150 ? 0.7 : 1;
  const blind = fighter.blindUntil > field.tick ? BLIND_FACTOR : 1;
  const hero = plan.hero === fighter.slot ? HERO_FACTOR : plan.hero === target.slot ? 0.5 : 1;
  // In a round with a plant, the defence is weaker before it.
  const attack = plan.plant && field.bomb === null && fighter.team === 'CT' ? 0.5 : 1;
  return Math.min(0.95, fighter.weapon.accuracy * range * moving * blind * hero * attack);
}

function hit(field: Field, fighter: Fighter, target: Fighter): void {
  const { weapon } = fighter;
  const part = hitPart(field.random);
  const isHead = part.hitgroup === HITGROUP.head;
  const damage = weapon.damage * (isHead ? weapon.headFactor : part.factor) * field.random.between(0.85, 1.08);
  strike(field, {
    attacker: fighter,
    victim: target,
    weapon: weapon.name,
    damage,
    armorDamage: Math.min(target.armor, Math.round(Math.min(damage, 40) * 0.14)),
    hitgroup: part.hitgroup,
    facts: { headshot: isHead },
  });
  // A fighter who is shot from behind turns round.
  const isFree = target.target === null && field.work?.by !== target && !isOnErrand(field, target);
  if (isAlive(target) && isFree) engage(field, target, fighter);
}

function hitPart(random: Random): (typeof BODY)[number] {
  let rest = random.next();
  for (const part of BODY) {
    rest -= part.share;
    if (rest < 0) return part;
  }
  return BODY[1];
}
