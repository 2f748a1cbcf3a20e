import { fireEvent, HITGROUP } from '../combat-events.ts';
import { TICK_RATE } from '../scripted-match.ts';
import { slay, strike } from './damage.ts';
import { type Field, living } from './field.ts';
import { distanceBetween } from './fighter.ts';

const FRIENDLY_SHOTS = 5;
const FALL_DAMAGE = 35;

/** Ticks after which a mishap happens: before the teams meet. */
export const MISHAP_TICKS = 9 * TICK_RATE;

/** Makes a death without a kill: by a team mate, a fall, or their own grenade. */
export function haveMishap(field: Field): void {
  const { mishap, hero } = field.plan;
  if (mishap === null) return;
  const [victim, ...mates] = living(field, mishap === 'team-kill' ? 'CT' : 'T').filter(
    (fighter) => fighter.slot !== hero && fighter !== field.carrier,
  );
  if (victim === undefined) return;
  switch (mishap) {
    case 'team-kill': {
      const [mate] = mates.sort((a, b) => distanceBetween(a, victim) - distanceBetween(b, victim));
      if (mate === undefined) return;
      for (let shot = 0; shot < FRIENDLY_SHOTS; shot++) field.events.push(fireEvent(mate.userId, mate.weapon.name));
      slay(field, victim, mate, mate.weapon.name);
      break;
    }
    case 'fall':
      strike(field, {
        attacker: null,
        victim,
        weapon: 'world',
        damage: FALL_DAMAGE,
        armorDamage: 0,
        hitgroup: HITGROUP.generic,
      });
      slay(field, victim, null, 'world');
      break;
    case 'own-grenade':
      slay(field, victim, victim, 'hegrenade');
      break;
  }
}
