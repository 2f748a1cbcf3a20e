import { isEnemyKill } from './kills.ts';
import type { Match, Player } from './match.ts';

export interface PlayerSummary {
  readonly player: Player;
  /** Kills that count, by round number; rounds without any are left out. */
  readonly killsByRound: ReadonlyMap<number, number>;
  readonly kills: number;
}

/** Everyone in the match with what there is to clip, most kills first; players with as many stay in demo order. */
export function listPlayers(match: Match): readonly PlayerSummary[] {
  const summaries = match.players.map((player, index): PlayerSummary => {
    const killsByRound = new Map<number, number>();
    let kills = 0;
    for (const kill of match.kills) {
      if (kill.attacker !== index || kill.round === null || !isEnemyKill(kill)) continue;
      killsByRound.set(kill.round, (killsByRound.get(kill.round) ?? 0) + 1);
      kills += 1;
    }
    return { player, killsByRound, kills };
  });
  return summaries.sort((a, b) => b.kills - a.kills);
}
