import type { Kill } from './match.ts';

/** Whether somebody killed an enemy: not himself, not a teammate where sides count, and not the world. */
export function isEnemyKill(kill: Kill): boolean {
  if (kill.attacker === null || kill.attacker === kill.victim) return false;
  return kill.freeForAll === true || kill.attackerTeam === null || kill.attackerTeam !== kill.victimTeam;
}
