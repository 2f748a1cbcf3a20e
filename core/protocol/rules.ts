import * as z from 'zod';
import { UPLOAD_SOURCES } from '#domain/account.ts';
import { DEFAULT_BUDGET } from '#domain/rule-budget.ts';
import { jobFields } from './job-view.ts';
import { Plan } from './plan.ts';
import { httpUrl, SubmitRequest } from './submit.ts';
import { Tag } from './uploads.ts';

/** Rules: what an account has rendered of each demo that arrives. */

const list = <Item extends z.ZodType>(item: Item, description: string) =>
  z.array(item).min(1, 'must not be empty').max(50, 'must have at most 50 entries').meta({ description }).optional();
const players = list(SubmitRequest.shape.steam64_id.unwrap(), 'Steam ids: one of these players, who are no bots.');
const word = z.string().regex(/^\w{1,64}$/, 'must be a word of letters, digits and _');
const count = (most: number, description: string) =>
  z.int().min(1, 'must be at least 1').max(most, `must be at most ${most}`).meta({ description });

const When = z
  .strictObject({
    sources: list(z.enum(UPLOAD_SOURCES), 'How the demo came.'),
    tags: list(Tag, 'Its tag.'),
    maps: list(word, 'Its map, such as `de_mirage`.'),
    players,
  })
  .meta({ id: 'RuleWhen', description: 'Which demos: those that fit each list.' });

const Render = z
  .strictObject({
    what: z.enum(['highlights', 'kills', 'best_of_each'], 'must be highlights, kills or best_of_each').meta({
      description:
        'The best moments; all kills of a player, a clip for each player; or the best moment of each player.',
    }),
    limit: count(10, 'The most clips of a demo: by default 3 of `highlights`, else 10.').optional(),
    kinds: list(word, 'Kinds of highlights, such as `ace`. Not with `kills`.'),
    players,
    team: z.enum(['T', 'CT'], 'must be T or CT').optional().meta({ description: 'The side that a player starts on.' }),
  })
  .refine(({ what, kinds }) => what !== 'kills' || !kinds, { path: ['kinds'], error: 'must not be sent with kills' })
  .meta({ id: 'RuleRender', description: 'Which moments become clips.' });

const Options = SubmitRequest.omit({
  ...{
    demo_url: true,
    steam64_id: true,
    round: true,
    timeline: true,
    idempotency_key: true,
    force: true,
    extras: true,
  },
  ...{ webhook_url: true, webhook_auth_header: true },
}).meta({ id: 'RuleOptions', description: 'Fields of `SubmitRequest` for each clip.' });

const Send = SubmitRequest.pick({ webhook_url: true, webhook_auth_header: true })
  .extend({ discord_url: httpUrl('a Discord webhook', 'A Discord webhook: one post for each demo.').optional() })
  .meta({ id: 'RuleSend', description: 'Where the outcome goes.' });

const Budget = z
  .strictObject({
    demos_a_day: count(1000, 'Demos that are inspected.'),
    clips_a_day: count(10_000, 'Clips that are rendered.'),
  })
  .meta({
    id: 'RuleBudget',
    description: `For the demos of a day (UTC): by default ${DEFAULT_BUDGET.demos_a_day} and ${DEFAULT_BUDGET.clips_a_day}.`,
  });

const name = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(100, 'must be at most 100 characters')
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')
  .meta({ description: 'For people to tell rules apart.' });
const enabled = z.boolean().meta({ description: 'Whether it acts on new demos.' });
const fields = { name, enabled, when: When, render: Render, options: Options, send: Send, budget: Budget };

export const RuleChange = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'RuleChange', description: 'A field that is sent replaces all of that field.' });
export const RuleRequest = z
  .strictObject(fields)
  .partial({ enabled: true, when: true, options: true, send: true, budget: true })
  .meta({ id: 'RuleRequest', description: 'A rule.' });
export type RuleRequest = z.infer<typeof RuleRequest>;

export const RUN_STATES = ['waiting', 'submitting', 'running', 'done', 'failed', 'skipped'] as const;
const RuleRun = z
  .object({
    id: z.uuid(),
    state: z.enum(RUN_STATES).meta({ description: '`failed`: no clip was made. `skipped`: none was submitted.' }),
    upload_id: z.uuid().meta({ description: 'The demo.' }),
    clips: z.int().meta({ description: 'How many it makes.' }),
    detail: z.string().nullable().meta({ description: 'Why it makes none, or fewer.' }),
    jobs: z.array(z.object({ ...jobFields }).pick({ id: true, status: true, error_code: true })),
    created_at: z.iso.datetime().meta({ description: 'When the demo came.' }),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'RuleRun', description: 'What a rule does with one demo.' });
export const Rule = z
  .object({
    id: z.uuid().meta({ description: 'The rule.' }),
    ...fields,
    send: Send.omit({ webhook_auth_header: true }).meta({ description: 'Without its secrets.' }),
    used: z
      .object({ demos_a_day: z.int(), clips_a_day: z.int() })
      .meta({ description: 'What it has used of its budget on this day.' }),
    paused: z
      .object({ at: z.iso.datetime(), reason: z.string() })
      .nullable()
      .meta({ description: 'Why the service has disabled it.' }),
    failures: z.int().meta({ description: 'Failed runs in a row. Five pause it.' }),
    made_by: z.object({ key_id: z.uuid(), name: z.string().nullable() }).meta({ description: 'The key it acts with.' }),
    created_at: z.iso.datetime().meta({ description: 'When it was made.' }),
    last_run: RuleRun.nullable().meta({ description: 'The latest; null before the first.' }),
    runs: z.array(RuleRun).optional().meta({ description: 'The latest 20; absent in lists.' }),
  })
  .meta({ id: 'Rule', description: 'A rule.' });
export type Rule = z.infer<typeof Rule>;
export const RuleList = z.object({ rules: z.array(Rule) });

const RuleClip = z.object({
  request: SubmitRequest.pick({ demo_url: true, steam64_id: true, round: true, timeline: true }).partial(),
  plan: Plan.nullable().meta({ description: 'Its shots and price; null if it cannot be made.' }),
  problem: z.string().nullable().meta({ description: 'Why it cannot be made.' }),
});
export type RuleClip = z.infer<typeof RuleClip>;
export const RuleTrial = z
  .object({
    mismatch: z.string().nullable().meta({ description: 'Why it renders nothing.' }),
    clips: z.array(RuleClip),
  })
  .meta({ id: 'RuleTrial', description: 'What a rule would do with a demo.' });
