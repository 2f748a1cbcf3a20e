import { areaAt } from '../map/navigation.ts';
import type { ScriptedState } from '../scripted-match.ts';
import { advanceBomb } from './bomb.ts';
import type { Field } from './field.ts';
import { isAlive, stateOf } from './fighter.ts';
import { advanceGrenades } from './grenades.ts';
import { look, move } from './movement.ts';
import { shoot } from './shooting.ts';
import { giveOrders } from './tactics.ts';
import { chooseTarget, spot } from './vision.ts';

/** Plays one tick: moves, fights, flies, burns. */
export function playTick(field: Field): void {
  giveOrders(field);
  for (const fighter of field.fighters) {
    if (!isAlive(fighter)) continue;
    if (field.tick >= field.liveTick) chooseTarget(field, fighter);
    move(field, fighter);
    const off = look(field, fighter);
    shoot(field, fighter, off);
  }
  spot(field);
  advanceGrenades(field);
  if (!field.warmup && field.tick >= field.liveTick) advanceBomb(field);
}

export function playerStates(field: Field): ScriptedState[] {
  return field.fighters.map((fighter) => stateOf(fighter, areaAt(fighter.x, fighter.y).place));
}
