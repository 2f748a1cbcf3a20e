import { type Match, type PlayerIndex, type Team, TRACK_PRESENT, TRACK_TEAM_CT, TRACK_TEAM_T } from './match.ts';

/**
 * Returns a match where everybody is an enemy as it is drawn: the players who are shown on one side, all others on the
 * other, whatever team the game has them in. Other matches stay as they are.
 */
export function byEnmity(match: Match, shown: readonly PlayerIndex[]): Match {
  if (match.freeForAll !== true) return match;
  const sideOf = (player: PlayerIndex): Team => (shown.includes(player) ? 'CT' : 'T');
  const { tracks } = match;
  const flags = tracks.flags.slice();
  for (const player of match.players.keys()) {
    const bit = sideOf(player) === 'CT' ? TRACK_TEAM_CT : TRACK_TEAM_T;
    for (let at = player * tracks.length; at < (player + 1) * tracks.length; at++) {
      const now = flags[at] ?? 0;
      if ((now & TRACK_PRESENT) !== 0) flags[at] = (now & ~(TRACK_TEAM_CT | TRACK_TEAM_T)) | bit;
    }
  }
  const kills = match.kills.map((kill) => ({
    ...kill,
    attackerTeam: kill.attacker === null ? null : sideOf(kill.attacker),
    victimTeam: sideOf(kill.victim),
  }));
  // The teams' scores say nothing of these sides.
  const rounds = match.rounds.map((round) => ({ ...round, score: null }));
  return { ...match, rounds, kills, tracks: { ...tracks, flags } };
}
