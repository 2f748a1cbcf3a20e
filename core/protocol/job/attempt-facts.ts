import * as z from 'zod';
import type { Facts } from '#domain/failure/failure.ts';
import { WORK_STAGES } from '#domain/job/job.ts';

/** What a host reports of an attempt for the client. */

export const Stage = z
  .enum(WORK_STAGES)
  .meta({ id: 'WorkStage', description: 'The present step of the host, finer than its phase.' });

/** The most facts of a failure, and their length: they are stored in the job's row. */
const MOST_FACTS = 12;
const MOST_VALUES = 60;
const Fact = z.union([z.string().max(200), z.number(), z.boolean(), z.null()]);
export const FactsShape: z.ZodType<Facts> = z
  .record(z.string().regex(/^[a-z][a-z0-9_]{0,39}$/), z.union([Fact, z.array(Fact).max(MOST_VALUES)]))
  .refine((facts) => Object.keys(facts).length <= MOST_FACTS, `must be at most ${MOST_FACTS}`)
  .meta({
    id: 'Facts',
    description: 'Facts about a failure, for programs, as in `{"round_asked": 9, "rounds": [1, 2, 3]}`.',
  });
