import * as z from 'zod';
import { Problem } from './problem.ts';
import type { SubmitRequest } from './submit.ts';

/** `POST /api/clips/batch`: many submits at once. */

const MAX_BATCH = 50;

/** Fields of a submit. Each whole submit is validated by itself. */
const Fields: z.ZodType<Partial<SubmitRequest>> = z.looseObject({});
const NOT_SHARED = ['idempotency_key', 'force'] as const;

export const BatchRequest = z
  .strictObject({
    defaults: Fields.refine((fields) => !NOT_SHARED.some((name) => name in fields), {
      error: 'must not have an idempotency_key or force: each submit has its own',
    })
      .optional()
      .meta({
        description: 'Fields of a `SubmitRequest` that all of them share. One that has the field itself goes by that.',
      }),
    clips: z
      .array(Fields, 'must be an array of submits')
      .min(1, 'must have at least 1 submit')
      .max(MAX_BATCH, `must have at most ${MAX_BATCH} submits`)
      .meta({ description: 'The submits: each, with the defaults, a `SubmitRequest`.' }),
  })
  .meta({ id: 'BatchRequest', description: 'Submits that share some of their fields.' });
export type BatchRequest = z.input<typeof BatchRequest>;

const BatchResult = z
  .object({
    index: z.int().meta({ description: 'Its place in `clips`, from 0.' }),
    status: z.int().meta({ description: 'As `POST /api/clips` alone would have answered: 201, 200, 400 and so on.' }),
    job_id: z.uuid().nullable().meta({ description: 'The job; null where the submit was refused.' }),
    replayed: z.boolean().meta({ description: 'As `Idempotent-Replayed`.' }),
    body_differs: z.boolean().meta({ description: 'As `Idempotency-Body-Differs`.' }),
    problem: Problem.nullable().meta({ description: 'Why it was refused; null where it was not.' }),
  })
  .meta({ id: 'BatchResult', description: 'What became of one submit.' });
export type BatchResult = z.infer<typeof BatchResult>;

export const BatchAnswer = z
  .object({ results: z.array(BatchResult) })
  .meta({ id: 'BatchAnswer', description: 'What became of each submit, in their order.' });
