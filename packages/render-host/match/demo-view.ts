import { cleanName } from '#domain/clean-text.ts';
import { type HostInspection, MAX_INSPECTED, MAX_NAME, READER_VERSION } from '#protocol/demos.ts';
import { SubmitRequest } from '#protocol/submit.ts';
import type { MatchInspection } from './inspect-match.ts';

const EventMoment = SubmitRequest.pick({ steam64_id: true, round: true, timeline: true });

/** Converts an inspection to its wire format. If it is too large, the least important part is left out first. */
export function demoView(found: MatchInspection): HostInspection {
  const players = found.players.slice(0, MAX_INSPECTED.players);
  const isKnown = (index: number | null): index is number => index !== null && index < players.length;
  const isWhole = (['players', 'rounds', 'kills', 'gaps'] as const).every(
    (list) => found[list].length <= MAX_INSPECTED[list],
  );
  const kills = found.kills.slice(0, MAX_INSPECTED.kills).flatMap((kill) => {
    const { tick, round, attacker, victim, assister, headshot, wallbang } = kill;
    if (round === null || !isKnown(attacker) || !isKnown(victim)) return [];
    return {
      ...{ tick, round, attacker, victim, headshot, wallbang },
      assister: isKnown(assister) ? assister : null,
      weapon: cleanName(kill.weapon, MAX_NAME),
      no_scope: kill.noScope,
      through_smoke: kill.throughSmoke,
      attacker_blind: kill.attackerBlind,
      ...(found.endings.has(kill) ? { ends_round: true as const } : {}),
    };
  });
  const left = (found.killsLeftOut ?? 0) + found.kills.length - kills.length;
  return {
    map: cleanName(found.map, MAX_NAME),
    game_patch: found.gamePatch,
    build: found.build,
    tick_rate: found.tickRate,
    first_tick: found.firstTick,
    last_tick: found.lastTick,
    is_complete: found.complete,
    ...(found.damage ? { damage: { tick: found.damage.tick, reason: cleanName(found.damage.reason, MAX_NAME) } } : {}),
    recorded_by: found.recordedBy,
    reader: READER_VERSION,
    players: players.map(({ steamId, name, isBot, team, kills, deaths, killsByRound }) => ({
      steam64_id: steamId,
      name: cleanName(name, MAX_NAME),
      is_bot: isBot,
      ...{ team, kills, deaths },
      kills_by_round: Object.fromEntries(killsByRound),
    })),
    rounds: found.rounds
      .slice(0, MAX_INSPECTED.rounds)
      .map(({ number, startTick, endTick, officialEndTick, winner, reason, score }) => ({
        ...{ round: number, start_tick: startTick, end_tick: endTick, winner, reason },
        official_end_tick: officialEndTick,
        score: score && { T: score.T, CT: score.CT },
      })),
    ...(isWhole
      ? { gaps: found.gaps.map(({ startTick, endTick }) => ({ start_tick: startTick, end_tick: endTick })) }
      : {}),
    ...(found.otherParts.length > 0
      ? {
          parts: found.otherParts.slice(0, MAX_INSPECTED.parts).map(({ startTick, endTick, rounds, players: who }) => ({
            ...{ start_tick: startTick, end_tick: endTick, rounds },
            players: who.filter(isKnown),
          })),
        }
      : {}),
    kills,
    ...(left > 0 ? { kills_left_out: left } : {}),
    // Some bots have no id that a request can name.
    highlights: found.highlights
      .filter(({ player, request }) => isKnown(player) && EventMoment.safeParse(request).success)
      .slice(0, MAX_INSPECTED.highlights)
      .map(({ player, round, startTick, endTick, feats, score, request }) => {
        const kinds = feats.map(({ kind }) => kind);
        const [kind = ''] = kinds;
        const { steam64_id, timeline } = request;
        return {
          ...{ kind, kinds: kinds.slice(0, 50), player, round, start_tick: startTick, end_tick: endTick, score },
          request: timeline ? { timeline } : { steam64_id, round: request.round },
        };
      }),
  };
}
