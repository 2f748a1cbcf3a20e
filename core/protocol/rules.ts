import * as z from 'zod';
import { UPLOAD_SOURCES } from '#domain/account.ts';
import { JOB_STATUSES } from '#domain/job.ts';
import { JobErrorCode } from './job-view.ts';
import { Plan } from './plan.ts';
import { httpUrl, SubmitRequest } from './submit.ts';
import { Tag } from './uploads.ts';

/** Rules: what an account has rendered of each demo that arrives. */

const list = <Item extends z.ZodType>(item: Item, description: string) =>
  z.array(item).min(1, 'must not be empty').max(50, 'must have at most 50 entries').meta({ description }).optional();
const players = (description: string) => list(SubmitRequest.shape.steam64_id.unwrap(), description);
const word = z.string().regex(/^\w{1,64}$/, 'must be a word of letters, digits and _');
const count = (least: number, most: number, description: string) =>
  z
    .int('must be an integer')
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`)
    .meta({ description });

const name = z
  .string('must be a string')
  .trim()
  .min(1, 'must not be empty')
  .max(100, 'must be at most 100 characters')
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')
  .meta({ description: 'For people to tell rules apart.' });
const enabled = z.boolean('must be true or false').meta({ description: 'Whether the rule acts on new demos.' });

const When = z
  .strictObject({
    sources: list(z.enum(UPLOAD_SOURCES), 'How the demo came; by default in any way.'),
    tags: list(Tag, 'The tag of the demo is one of these.'),
    maps: list(word, 'The map is one of these, such as `de_mirage`.'),
    players: players('One of these players is in the demo.'),
  })
  .meta({ id: 'RuleWhen', description: 'Which demos the rule acts on: all conditions have to hold.' });

const RULE_TARGETS = ['highlights', 'kills', 'best_of_each'] as const;
const Render = z
  .strictObject({
    what: z.enum(RULE_TARGETS, 'must be highlights, kills or best_of_each').meta({
      description:
        '`highlights`: the best moments of the demo. `kills`: all kills of a player, a clip for each player. `best_of_each`: the best moment of each player.',
    }),
    limit: count(1, 10, 'The most clips of one demo. By default 3 of `highlights`, else 10.').optional(),
    kinds: list(word, 'Only highlights of one of these kinds, such as `ace`. Not with `kills`.'),
    players: players('Only of these players.'),
    team: z.enum(['T', 'CT'], 'must be T or CT').meta({ description: 'Only of the side that starts so.' }).optional(),
  })
  .refine(({ what, kinds }) => what !== 'kills' || !kinds, { path: ['kinds'], error: 'must not be sent with kills' })
  .meta({ id: 'RuleRender', description: 'Which moments become clips.' });

const Options = SubmitRequest.omit({
  ...{ demo_url: true, steam64_id: true, round: true, timeline: true, idempotency_key: true, force: true },
  ...{ webhook_url: true, webhook_auth_header: true },
}).meta({ id: 'RuleOptions', description: 'Fields of `SubmitRequest` for each clip.' });

const Send = z
  .strictObject({
    ...SubmitRequest.pick({ webhook_url: true, webhook_auth_header: true }).shape,
    discord_url: httpUrl('a Discord webhook', 'A webhook of a Discord channel: one post for each demo.').optional(),
  })
  .meta({ id: 'RuleSend', description: 'Where the outcome goes.' });

const Budget = z
  .strictObject({
    demos_a_day: count(1, 1000, 'Demos that are inspected on a day (UTC).').default(20),
    clips_a_day: count(1, 10_000, 'Clips of the demos that came on a day (UTC).').default(50),
  })
  .meta({ id: 'RuleBudget', description: 'What the rule may cause on a day.' });

export const RuleRequest = z
  .strictObject({
    ...{ name, render: Render },
    enabled: enabled.default(true),
    ...{ when: When.default({}), options: Options.default({}), send: Send.default({}) },
    budget: Budget.prefault({}),
  })
  .meta({ id: 'RuleRequest', description: 'A rule.' });
export type RuleRequest = z.infer<typeof RuleRequest>;

export const RuleChange = z
  .strictObject({ name, enabled, when: When, render: Render, options: Options, send: Send, budget: Budget })
  .partial()
  .meta({ id: 'RuleChange', description: 'Changes of a rule. A field that is sent replaces all of that field.' });

export const RUN_STATES = ['waiting', 'submitting', 'running', 'done', 'failed', 'skipped'] as const;

const RuleRun = z
  .object({
    id: z.uuid().meta({ description: 'The run.' }),
    state: z.enum(RUN_STATES).meta({
      description:
        '`waiting` for the inspection, `submitting` its clips, `running` until they end. `done`: one has been made. `failed`: none has. `skipped`: the rule does not render this demo.',
    }),
    upload_id: z.uuid().meta({ description: 'The demo, as an upload.' }),
    clips: z.int().meta({ description: 'How many clips it makes.' }),
    detail: z.string().nullable().meta({ description: 'Why it makes none, or fewer; null otherwise.' }),
    jobs: z
      .array(z.object({ id: z.uuid(), status: z.enum(JOB_STATUSES), error_code: JobErrorCode.nullable() }))
      .meta({ description: 'The jobs of its clips.' }),
    created_at: z.iso.datetime().meta({ description: 'When the demo came.' }),
    ended_at: z.iso.datetime().nullable().meta({ description: 'When it ended; null before.' }),
  })
  .meta({ id: 'RuleRun', description: 'What a rule does with one demo.' });
export type RuleRun = z.infer<typeof RuleRun>;

const fields = {
  id: z.uuid().meta({ description: 'The rule.' }),
  ...{ name, enabled, when: When, render: Render, options: Options },
  send: z
    .object({ webhook_url: z.string().optional(), discord_url: z.string().optional() })
    .meta({ description: 'Without the auth header, and without the token of the Discord webhook.' }),
  budget: Budget,
  paused: z
    .object({ at: z.iso.datetime(), reason: z.string() })
    .nullable()
    .meta({ description: 'Why the service has disabled the rule; null otherwise.' }),
  failures: z.int().meta({ description: 'Failed runs in a row. Five pause the rule.' }),
  made_by: z
    .object({ key_id: z.uuid(), name: z.string().nullable() })
    .meta({ description: 'The key that the rule acts with: the last that changed it.' }),
  created_at: z.iso.datetime().meta({ description: 'When it was made.' }),
  last_run: RuleRun.nullable().meta({ description: 'The latest; null before the first.' }),
};
export const Rule = z.object(fields).meta({ id: 'Rule', description: 'A rule with its latest run.' });
export type Rule = z.infer<typeof Rule>;
export const RuleDetail = z
  .object({ ...fields, runs: z.array(RuleRun).meta({ description: 'The latest 20, newest first.' }) })
  .meta({ id: 'RuleDetail', description: 'A rule with its latest runs.' });
export const RuleList = z
  .object({ rules: z.array(Rule) })
  .meta({ id: 'RuleList', description: 'All rules of the account, oldest first.' });

export const RuleTry = z
  .strictObject({ demo_url: httpUrl('the demo', 'A demo that is inspected.') })
  .meta({ id: 'RuleTry', description: 'A demo to try a rule on.' });

const RuleClip = z
  .object({
    request: SubmitRequest.pick({ steam64_id: true, round: true, timeline: true }),
    plan: Plan.nullable().meta({ description: 'Its shots and price; null if it cannot be made.' }),
    problem: z.string().nullable().meta({ description: 'Why it cannot be made; null if it can.' }),
  })
  .meta({ id: 'RuleClip', description: 'A clip that a rule would make.' });
export type RuleClip = z.infer<typeof RuleClip>;

export const RuleTrial = z
  .object({
    matches: z.boolean().meta({ description: 'Whether the rule renders this demo.' }),
    detail: z.string().nullable().meta({ description: 'Why it does not; null if it does.' }),
    clips: z.array(RuleClip).meta({ description: 'In the order of the submits.' }),
  })
  .meta({ id: 'RuleTrial', description: 'What a rule would do with a demo.' });
export type RuleTrial = z.infer<typeof RuleTrial>;
