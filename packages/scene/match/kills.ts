import type { Kill } from './match.ts';

/** Whether a player killed an enemy: not themselves, not a team mate where teams count, and not the world. */
export function isEnemyKill(kill: Kill): boolean {
  if (kill.attacker === null || kill.attacker === kill.victim) return false;
  return kill.freeForAll === true || kill.attackerTeam === null || kill.attackerTeam !== kill.victimTeam;
}
