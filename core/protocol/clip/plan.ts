import * as z from 'zod';
import { RENDERERS } from '#domain/host/need.ts';
import * as field from '../lib/fields.ts';

/** The answer of `POST /api/plan`: the shots of a clip that is not made. */

const PlanShot = z
  .object({
    steam64_id: field.text('Steam id of the player that the shot follows.'),
    subject_steam64_id: field
      .text('Steam id of the player whose kills the shot shows. Absent if it is the followed player.')
      .optional(),
    round: field.integerOrNull('Number of the round in which the shot begins. Null before the first round.'),
    start_tick: field.integer('First tick of the shot.'),
    end_tick: field.integer('The tick after the last of the shot.'),
    seconds: field.number('Length of the shot in the clip, in seconds.'),
    speed: field.number('The lowest speed of the game in the shot. Absent if it is 1.').optional(),
    kill_ticks: z
      .array(z.int())
      .describe('Ticks of the kills in the shot that count, by the player whose kills it shows.'),
  })
  .meta({ id: 'PlanShot', description: 'A part of the clip without a cut.' });

const PlanCard = z
  .object({ kind: z.enum(['intro', 'title', 'outro']), seconds: z.number() })
  .meta({ id: 'PlanCard', description: 'A still picture before the shots (intro, title) or after them (outro).' });

export const Plan = z
  .object({
    seconds: field.number('Length of the clip in seconds.'),
    is_estimate: field.flag(
      'Whether the clip may differ, because the host that inspected the demo did not report gaps and win announcements.',
    ),
    shots: z.array(PlanShot).describe('Shots in the order of the clip.'),
    renderer: z.enum(RENDERERS).describe('The renderer of the clip. With a `fallback`, the one that is tried first.'),
    host_online: field
      .flag('Whether a render host that can make the clip is online. Absent if that is not known.')
      .optional(),
    cards: z.array(PlanCard).optional().describe('Cards in the order of the clip. Absent if there are none.'),
    price: z
      .object({
        amount: field.number('Price in `currency`, rounded to four decimals.'),
        currency: field.text('ISO 4217 code of the currency.'),
      })
      .optional()
      .describe(
        'The price of one successful run. Absent for a reserved key, and if the operator has set no price for it.',
      ),
  })
  .meta({ id: 'Plan', description: 'The shots of the clip that this request would make.' });

export type Plan = z.infer<typeof Plan>;

export function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
