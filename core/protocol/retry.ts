import * as z from 'zod';
import { TIERS } from '#domain/clip.ts';
import { isWindow, NO_WINDOW, next_cursor, page } from './lists.ts';

/** Where a retry goes on, and when it began: `at_createdAt_id`. Jobs that ended later are not part of it. */
const RetryCursor = z
  .string()
  .regex(/^\d{1,15}_\d{1,15}_[0-9a-f-]{36}$/, 'must be the next_cursor of an earlier answer')
  .transform((text) => {
    const [at = '', createdAt = '', id = ''] = text.split('_');
    return { at: Number(at), after: { createdAt: Number(createdAt), id } };
  });

export const RetryRequest = z
  .strictObject({
    job_ids: z
      .array(z.uuid('must be a UUID'))
      .min(1)
      .max(100)
      .optional()
      .meta({ description: 'These jobs, whatever their code.' }),
    all: z.literal(true).optional().meta({ description: 'All jobs that match the other fields.' }),
    status: z
      .enum(['error', 'done'])
      .default('error')
      .meta({ description: 'Jobs that failed, or jobs that made a clip, which is replaced and billed again.' }),
    error_code: z.string().max(40).optional().meta({
      description: 'Only jobs with this code. Without it, those with a code after which another run may succeed.',
    }),
    account: z.uuid('must be a UUID').optional().meta({ description: 'Only jobs of this account.' }),
    tier: z.enum(TIERS).optional().meta({ description: 'Only jobs that this kind of key submitted.' }),
    host: z.uuid('must be a UUID').optional().meta({ description: 'Only jobs that this host tried last time.' }),
    build: z
      .string()
      .max(100)
      .optional()
      .meta({ description: 'Only jobs that were tried with this build of the game.' }),
    created_from: page.created_from,
    created_to: page.created_to,
    dry_run: z.boolean().default(false).meta({ description: 'Only count: change nothing.' }),
    limit: z.int().min(1).max(100).default(100).meta({ description: 'How many to look at in one call.' }),
    cursor: RetryCursor.optional().meta({ description: 'With `all`: the `next_cursor` of the answer before.' }),
  })
  .refine(({ job_ids, all }) => (job_ids === undefined) !== (all === undefined), {
    path: ['job_ids'],
    error: 'must be given, or `all`, but not both',
  })
  .refine(isWindow, NO_WINDOW)
  .meta({ id: 'RetryRequest', description: 'Which jobs run again.' });
export type RetryRequest = z.output<typeof RetryRequest>;

const count = (description: string) => z.int().meta({ description });

export const RetryAnswer = z
  .object({
    jobs: count('How many run again; with `dry_run`, how many would.'),
    reserved: count('Those of them under the slots of their accounts.'),
    webhooks: count('Those of them that send a webhook when they end.'),
    seconds: z.number().meta({
      description: 'Seconds of clip that are billed if all succeed, as far as the last clip or the request names them.',
    }),
    unknown_seconds: count('Jobs whose seconds depend on the demo.'),
    checked: count('Jobs that were looked at.'),
    refused: z
      .array(
        z.object({
          job_id: z.uuid().meta({ description: 'The job.' }),
          reason: z.string().meta({ description: 'Why it does not run again now.' }),
        }),
      )
      .meta({ description: 'Those that match, and do not run again.' }),
    next_cursor,
  })
  .meta({ id: 'RetryAnswer', description: 'What became of up to a hundred jobs; `next_cursor` leads to the rest.' });
