import { type Card, shotFrameCount } from '#domain/clip/plan/clip-length.ts';
import type { PlannableKill, PlannableMatch, PlannedShot } from '#domain/clip/plan/match.ts';
import { lowestSpeed } from '#domain/clip/plan/shot-time.ts';
import type { RenderOrder } from '#domain/clip/render-order.ts';
import { type Plan, rounded } from '#protocol/clip/plan.ts';
import type { PriceList } from '#protocol/lib/shapes.ts';
import type { DemoMatch } from './demos.ts';

/** Returns what the planner reads of an inspected demo. A host may have reported a part of it only. */
export function plannableDemo(match: DemoMatch): PlannableMatch<DemoMatch['kills'][number]> {
  const { tick_rate: tickRate, first_tick: firstTick, last_tick: lastTick, players, kills } = match;
  const { recorded_by: recordedBy, gaps = [], parts = [] } = match;
  return {
    tickRate,
    firstTick,
    lastTick,
    kills,
    players: players.map(({ steam64_id: steamId, name }) => ({ steamId, name })),
    recorder: recordedBy === null ? null : players.findIndex(({ steam64_id }) => steam64_id === recordedBy),
    gaps: gaps.map(({ start_tick: startTick, end_tick: endTick }) => ({ startTick, endTick })),
    rounds: match.rounds.map(({ round, start_tick, end_tick, official_end_tick }) => ({
      number: round,
      startTick: start_tick,
      endTick: end_tick,
      officialEndTick: official_end_tick ?? null,
    })),
    otherParts: parts.map(({ start_tick: startTick, end_tick: endTick, ...part }) => ({ ...part, startTick, endTick })),
    endsRound: ({ ends_round }) => ends_round === true,
  };
}

/** Returns shots of an inspected demo for its account. `prices`: null for a clip that costs nothing by itself. */
export function planView(
  match: DemoMatch,
  shots: readonly PlannedShot<PlannableKill>[],
  { resolution, fps }: Pick<RenderOrder, 'resolution' | 'fps'>,
  prices: PriceList | null,
  cards: readonly Card[] = [],
): Omit<Plan, 'renderer'> {
  const frames = shots.map((shot) => shotFrameCount(shot, match.tick_rate, fps));
  const counts = [...frames, ...cards.map((card) => Math.round(card.seconds * fps))];
  const seconds = counts.reduce((sum, count) => sum + count, 0) / fps;
  const player = (at: number) => match.players[at]?.steam64_id ?? '';
  const rate = prices?.rates.find((one) => one.resolution >= resolution && one.fps >= fps);
  return {
    seconds: rounded(seconds, 3),
    is_estimate: match.gaps === undefined,
    shots: shots.map((shot, at) => ({
      steam64_id: player(shot.pov),
      round: shot.round,
      start_tick: shot.startTick,
      end_tick: shot.endTick,
      ...(shot.subject !== shot.pov && { subject_steam64_id: player(shot.subject) }),
      ...(lowestSpeed(shot) !== 1 && { speed: lowestSpeed(shot) }),
      seconds: rounded((frames[at] ?? 0) / fps, 3),
      kill_ticks: shot.kills.map(({ tick }) => tick),
    })),
    ...(cards.length > 0 && { cards: [...cards] }),
    ...(prices && rate
      ? { price: { amount: rounded((seconds / 3600) * rate.perHour, 4), currency: prices.currency } }
      : {}),
  };
}
