import * as z from 'zod';
import { TIERS } from '#domain/account/account.ts';
import * as field from '../lib/fields.ts';
import { isWindow, NO_WINDOW, next_cursor, page } from '../lib/lists.ts';

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
    job_ids: field.someIds('Ids of the jobs to run again, whatever their code.').optional(),
    all: z.literal(true).optional().describe('Select all jobs that match the other fields.'),
    status: z
      .enum(['error', 'done'])
      .default('error')
      .describe(
        'State of the jobs to run again: `error` for failed jobs, `done` for jobs with a clip, which is replaced and billed again.',
      ),
    error_code: z
      .string()
      .max(40)
      .optional()
      .describe('Select only jobs with this code. Without it, all codes after which another run may succeed.'),
    account: z.uuid('must be a UUID').optional().describe('Select only jobs of this account.'),
    tier: z.enum(TIERS).optional().describe('Select only jobs that this kind of key submitted.'),
    host: z.uuid('must be a UUID').optional().describe('Select only jobs whose last attempt was on this host.'),
    build: z.string().max(100).optional().describe('Select only jobs that were tried with this build of the game.'),
    created_from: page.created_from,
    created_to: page.created_to,
    dry_run: z.boolean().default(false).describe('Whether to count the jobs without running them.'),
    limit: z.int().min(1).max(100).default(100).describe('Maximum number of jobs to check in one call.'),
    cursor: RetryCursor.optional().describe('The `next_cursor` of the previous answer. Needs `all`.'),
  })
  .refine(...field.eitherOf('job_ids', 'all'))
  .refine(isWindow, NO_WINDOW)
  .meta({ id: 'RetryRequest', description: 'The jobs to run again.' });
export type RetryRequest = z.output<typeof RetryRequest>;

export const RetryAnswer = z
  .object({
    jobs: field.integer('Number of jobs that run again. With `dry_run`, that would run again.'),
    reserved: field.integer('Number of these jobs that use reserved slots of their accounts.'),
    webhooks: field.integer('Number of these jobs that send a webhook when they end.'),
    seconds: field.number(
      'Seconds of clip that are billed if all succeed, as far as the last clip or the request names them.',
    ),
    unknown_seconds: field.integer('Number of jobs whose seconds depend on the demo.'),
    checked: field.integer('Number of jobs that were checked.'),
    refused: z
      .array(
        z.object({
          job_id: field.uuid('Id of the job.'),
          reason: field.text('The reason why the job cannot run again now.'),
        }),
      )
      .describe('Jobs that match but do not run again.'),
    next_cursor,
  })
  .meta({
    id: 'RetryAnswer',
    description: 'The result of one call, for up to a hundred jobs. `next_cursor` continues with the rest.',
  });
