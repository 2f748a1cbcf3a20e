import * as z from 'zod';

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

export function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
