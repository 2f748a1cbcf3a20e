import * as z from 'zod';
import * as field from '../lib/fields.ts';
import { Problem } from '../lib/problem.ts';
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
      .describe('Fields of a `SubmitRequest` that apply to each submit which does not have the field itself.'),
    clips: z
      .array(Fields, 'must be an array of submits')
      .min(1, 'must have at least 1 submit')
      .max(MAX_BATCH, `must have at most ${MAX_BATCH} submits`)
      .describe('The submits: each, with the defaults, a `SubmitRequest`.'),
  })
  .meta({ id: 'BatchRequest', description: 'Submits that share some of their fields.' });
export type BatchRequest = z.input<typeof BatchRequest>;

const BatchResult = z
  .object({
    index: field.integer('Position of the submit in `clips`, from 0.'),
    status: field.integer('HTTP status that `POST /api/clips` answers to the same submit, such as 201, 200 or 400.'),
    job_id: field.uuidOrNull('Id of the job. Null if the submit was refused.'),
    replayed: field.flag('Whether the submit changed nothing, as `Idempotent-Replayed` says.'),
    body_differs: field.flag(
      'Whether the body differs from that of the existing job, as `Idempotency-Body-Differs` says.',
    ),
    problem: Problem.nullable().describe('The reason why the submit was refused. Null if it was accepted.'),
  })
  .meta({ id: 'BatchResult', description: 'The result of one submit.' });
export type BatchResult = z.infer<typeof BatchResult>;

export const BatchAnswer = z
  .object({ results: z.array(BatchResult) })
  .meta({ id: 'BatchAnswer', description: 'The results of the submits, in the order of `clips`.' });
