import { type EventEmitter, once } from 'node:events';
import GlobalOffensive from 'globaloffensive';
import type SteamUser from 'steam-user';
import type { AttemptCode } from '#domain/error-codes.ts';
import { reasonOf } from '#domain/reason.ts';
import { readShareCode } from '#domain/share-code.ts';

const GAME = 730;

/** Returns where Valve has the replay of a share code, or why there is none. */
export type Resolve = (shareCode: string) => Promise<{ readonly url: string } | { readonly code: AttemptCode }>;

/** Creates the function that asks Steam: the only one. One call at a time. `waitMs`: the most for an answer. */
export function createResolve(steam: SteamUser, log: (text: string) => void, waitMs = 30_000): Resolve {
  const game = new GlobalOffensive(steam);
  (game as EventEmitter).on('error', (error) => log(`The game refuses this account: ${reasonOf(error)}`));
  steam.on('loggedOn', () => steam.gamesPlayed([GAME]));
  return async (shareCode) => {
    const shared = readShareCode(shareCode);
    const signal = AbortSignal.timeout(waitMs);
    try {
      if (!game.haveGCSession) await once(game, 'connectedToGC', { signal });
      const answered = once(game, 'matchList', { signal });
      game.requestGame(shareCode);
      const [[match]] = (await answered) as [GlobalOffensive.Match[]];
      if (match === undefined || typeof shared === 'string') return { code: 'share_code_unknown' };
      if (BigInt(match.matchid) !== shared.matchId) throw new Error('the answer is of another match');
      // The last round has the address in the place of the map; older matches have it in `roundstats_legacy`.
      const rounds = [match.roundstats_legacy, ...match.roundstatsall];
      const url = rounds.map((round) => round?.map).findLast((map) => map?.startsWith('http'));
      return url ? { url } : { code: 'replay_expired' };
    } catch (error) {
      log(`Steam did not answer: ${reasonOf(error)}`);
      // A new session, so that a late answer is not taken for the next one.
      steam.gamesPlayed([]);
      if (steam.steamID) steam.gamesPlayed([GAME]);
      return { code: 'resolver_signed_out' };
    }
  };
}
