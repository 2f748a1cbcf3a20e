import * as z from 'zod';
import type { Card } from '#domain/clip/plan/cards.ts';
import { shotFrameCount } from '#domain/clip/plan/clip-length.ts';
import type { PlannableKill, PlannableMatch, PlannedShot } from '#domain/clip/plan/match.ts';
import { lowestSpeed } from '#domain/clip/plan/shot-time.ts';
import type { RenderOrder } from '#domain/clip/render-order.ts';
import type { DemoMatch } from '../demo/demos.ts';
import type { PriceList } from '../lib/shapes.ts';

/** The answer of `POST /api/plan`: the shots of a clip that is not made. */

const PlanShot = z
  .object({
    steam64_id: z.string().meta({ description: 'Steam id of the player that the shot follows.' }),
    subject_steam64_id: z
      .string()
      .optional()
      .meta({ description: 'Steam id of the player whose kills the shot shows. Absent if it is the followed player.' }),
    round: z
      .int()
      .nullable()
      .meta({ description: 'Number of the round in which the shot begins. Null before the first round.' }),
    start_tick: z.int().meta({ description: 'First tick of the shot.' }),
    end_tick: z.int().meta({ description: 'The tick after the last of the shot.' }),
    seconds: z.number().meta({ description: 'Length of the shot in the clip, in seconds.' }),
    speed: z.number().optional().meta({ description: 'The lowest speed of the game in the shot. Absent if it is 1.' }),
    kill_ticks: z
      .array(z.int())
      .meta({ description: 'Ticks of the kills in the shot that count, by the player whose kills it shows.' }),
  })
  .meta({ id: 'PlanShot', description: 'A part of the clip without a cut.' });

const PlanCard = z
  .object({ kind: z.enum(['intro', 'title', 'outro']), seconds: z.number() })
  .meta({ id: 'PlanCard', description: 'A still picture before the shots (intro, title) or after them (outro).' });

export const Plan = z
  .object({
    seconds: z.number().meta({ description: 'Length of the clip in seconds.' }),
    is_estimate: z.boolean().meta({
      description:
        'Whether the clip may differ, because the host that inspected the demo did not report gaps and win announcements.',
    }),
    shots: z.array(PlanShot).meta({ description: 'Shots in the order of the clip.' }),
    cards: z
      .array(PlanCard)
      .optional()
      .meta({ description: 'Cards in the order of the clip. Absent if there are none.' }),
    price: z
      .object({
        amount: z.number().meta({ description: 'Price in `currency`, rounded to four decimals.' }),
        currency: z.string().meta({ description: 'ISO 4217 code of the currency.' }),
      })
      .optional()
      .meta({
        description:
          'The price of one successful run. Absent for a reserved key, and if the operator has set no price for it.',
      }),
  })
  .meta({ id: 'Plan', description: 'The shots of the clip that this request would make.' });
export type Plan = z.infer<typeof Plan>;

/** Returns what the planner reads of an inspected demo. A host may have reported a part of it only. */
export function plannableDemo(match: DemoMatch): PlannableMatch<DemoMatch['kills'][number]> {
  const { tick_rate: tickRate, first_tick: firstTick, last_tick: lastTick, players, kills } = match;
  const { recorded_by: recordedBy, gaps = [], parts = [] } = match;
  return {
    ...{ tickRate, firstTick, lastTick, kills },
    players: players.map(({ steam64_id: steamId, name }) => ({ steamId, name })),
    recorder: recordedBy === null ? null : players.findIndex(({ steam64_id }) => steam64_id === recordedBy),
    gaps: gaps.map(({ start_tick: startTick, end_tick: endTick }) => ({ startTick, endTick })),
    rounds: match.rounds.map(({ round, start_tick, end_tick, official_end_tick }) => ({
      ...{ number: round, startTick: start_tick, endTick: end_tick, officialEndTick: official_end_tick ?? null },
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
): Plan {
  const frames = shots.map((shot) => shotFrameCount(shot, match.tick_rate, fps));
  const counts = [...frames, ...cards.map((card) => Math.round(card.seconds * fps))];
  const seconds = counts.reduce((sum, count) => sum + count, 0) / fps;
  const player = (at: number) => match.players[at]?.steam64_id ?? '';
  const rate = prices?.rates.find((one) => one.resolution >= resolution && one.fps >= fps);
  return {
    seconds: rounded(seconds, 3),
    is_estimate: match.gaps === undefined,
    shots: shots.map((shot, at) => ({
      ...{ steam64_id: player(shot.pov), round: shot.round, start_tick: shot.startTick, end_tick: shot.endTick },
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

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
