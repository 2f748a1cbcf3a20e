import * as z from 'zod';
import { DEFAULT_BUDGET, UPLOAD_SOURCES } from '#domain/account/account.ts';
import { RUN_STATES } from '#domain/job/rule-run.ts';
import { canBeShown, type DemoPlayer, isPerson } from '#protocol/demo/demo-filter.ts';
import type { DemoMatch } from '#protocol/demo/demos.ts';
import { Plan } from '../clip/plan.ts';
import { httpUrl, SubmitRequest } from '../clip/submit.ts';
import { Tag } from '../demo/uploads.ts';
import { jobFields } from '../job/job-view.ts';
import * as field from '../lib/fields.ts';

/** Rules: what an account has rendered of each demo that arrives. */

const list = <Item extends z.ZodType>(item: Item, description: string) =>
  z.array(item).min(1, 'must not be empty').max(50, 'must have at most 50 entries').describe(description).optional();
const players = list(
  SubmitRequest.shape.steam64_id.unwrap(),
  'Steam ids of players, of whom one must match. Bots do not count.',
);
const word = z.string().regex(/^\w{1,64}$/, 'must be a word of letters, digits and _');
const count = (most: number, description: string) =>
  z.int().min(1, 'must be at least 1').max(most, `must be at most ${most}`).describe(description);

const When = z
  .strictObject({
    sources: list(z.enum(UPLOAD_SOURCES), 'The ways in which the demo may arrive.'),
    tags: list(Tag, 'Tags that the demo may have.'),
    maps: list(word, 'Maps of the demo, such as `de_mirage`.'),
    players,
  })
  .meta({ id: 'RuleWhen', description: 'The demos that a rule applies to: they must match each list.' });

const Render = z
  .strictObject({
    what: z
      .enum(['highlights', 'kills', 'best_of_each'], 'must be highlights, kills or best_of_each')
      .describe(
        '`highlights`: the best moments. `kills`: all kills of a player, one clip for each player. `best_of_each`: the best moment of each player.',
      ),
    limit: count(10, 'Maximum number of clips of a demo. By default 3 with `highlights`, else 10.').optional(),
    kinds: list(word, 'Kinds of highlights, such as `ace`. Not allowed with `kills`.'),
    players,
    team: z.enum(['T', 'CT'], 'must be T or CT').optional().describe('The side on which a player starts.'),
  })
  .refine(({ what, kinds }) => what !== 'kills' || !kinds, { path: ['kinds'], error: 'must not be sent with kills' })
  .meta({ id: 'RuleRender', description: 'The moments that become clips.' });

const Options = SubmitRequest.omit({
  demo_url: true,
  steam64_id: true,
  round: true,
  timeline: true,
  thumbnail_tick: true,
  idempotency_key: true,
  force: true,
  extras: true,
  webhook_url: true,
  webhook_auth_header: true,
}).meta({ id: 'RuleOptions', description: 'Fields of `SubmitRequest` that apply to each clip.' });

const Send = SubmitRequest.pick({ webhook_url: true, webhook_auth_header: true })
  .extend({
    discord_url: httpUrl(
      'a Discord webhook',
      'Address of a Discord webhook. It gets one post for each demo.',
    ).optional(),
  })
  .meta({ id: 'RuleSend', description: 'The receivers of the outcome.' });

const Budget = z
  .strictObject({
    demos_a_day: count(1000, 'Maximum number of demos whose match is read.'),
    clips_a_day: count(10_000, 'Maximum number of clips that are rendered.'),
  })
  .meta({
    id: 'RuleBudget',
    description: `Limits for the demos of a day (UTC). By default ${DEFAULT_BUDGET.demos_a_day} and ${DEFAULT_BUDGET.clips_a_day}.`,
  });

const name = field.line(100).describe('The name that people see in lists.');
const enabled = field.flag('Whether the rule applies to new demos.');
const fields = { name, enabled, when: When, render: Render, options: Options, send: Send, budget: Budget };

export const RuleChange = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'RuleChange', description: 'Changes of a rule. A field that is sent replaces the whole field.' });
export const RuleRequest = z
  .strictObject(fields)
  .partial({ enabled: true, when: true, options: true, send: true, budget: true })
  .meta({ id: 'RuleRequest', description: 'A rule that renders clips of new demos.' });
export type RuleRequest = z.infer<typeof RuleRequest>;

const RuleRun = z
  .object({
    id: z.uuid(),
    state: z
      .enum(RUN_STATES)
      .describe('The state of the run. `failed`: no clip was made. `skipped`: none was submitted.'),
    upload_id: field.uuid('Id of the upload with the demo.'),
    clips: field.integer('Number of clips that the run makes.'),
    detail: field.textOrNull('The reason why the run waits, or why it makes no clips, or fewer. Null for none.'),
    jobs: z.array(z.object({ ...jobFields }).pick({ id: true, status: true, error_code: true })),
    created_at: field.time('Time when the demo arrived, or the run began anew.'),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'RuleRun', description: 'The run of a rule for one demo.' });
export const Rule = z
  .object({
    id: field.uuid('Id of the rule.'),
    ...fields,
    send: Send.omit({ webhook_auth_header: true }).describe('The receivers of the outcome, without secrets.'),
    used: z
      .object({ demos_a_day: z.int(), clips_a_day: z.int() })
      .describe('The share of the budget that was used today (UTC).'),
    paused: z
      .object({ at: z.iso.datetime(), reason: z.string() })
      .nullable()
      .describe('The reason why the service has disabled the rule, whose runs wait meanwhile. Null while it has not.'),
    failures: field.integer('Number of failed runs in a row. Five pause the rule.'),
    made_by: z
      .object({ key_id: z.uuid(), name: z.string().nullable() })
      .describe('The key with which the rule submits jobs.'),
    created_at: field.time('Time when the rule was created.'),
    last_run: RuleRun.nullable().describe('The latest run of the rule. Null before the first.'),
    runs: z.array(RuleRun).optional().describe('The latest 20 runs of the rule. Absent in lists.'),
  })
  .meta({ id: 'Rule', description: 'A rule that renders clips of new demos.' });
export type Rule = z.infer<typeof Rule>;
/** The webhook of a run that made no job. */
export const RuleEnded = RuleRun.pick({ upload_id: true })
  .extend({
    event: z.literal('rule.ended').describe('The event: a rule run has ended.'),
    rule_id: field.uuid('Id of the rule.'),
    run_id: field.uuid('Id of the run for this demo.'),
    state: z.enum(['failed', 'skipped']).describe('The state in which the run ended.'),
    detail: field.textOrNull('The reason why the run made no clip.'),
  })
  .meta({ id: 'RuleEnded', description: 'The webhook of a rule run that made no job.' });
export type RuleEnded = z.infer<typeof RuleEnded>;
export const RuleList = z.object({ rules: z.array(Rule) });

const RuleClip = z.object({
  request: SubmitRequest.pick({ demo_url: true, steam64_id: true, round: true, timeline: true }).partial(),
  plan: Plan.nullable().describe('Shots and price of the clip. Null if it cannot be made.'),
  problem: field.textOrNull('The reason why the clip cannot be made. Null if it can.'),
});
export type RuleClip = z.infer<typeof RuleClip>;
export const RuleTrial = z
  .object({
    mismatch: field.textOrNull('The reason why the rule does not apply to the demo. Null if it does.'),
    clips: z.array(RuleClip),
  })
  .meta({ id: 'RuleTrial', description: 'The clips that a rule would make of a demo.' });

/** The moments of a clip, in the fields of a submit. */
type RuleMoment = Partial<DemoMatch['highlights'][number]['request']>;

/** Returns why a rule does not act on a demo; null if it does. */
export function mismatchOf({ maps, players }: Rule['when'], match: DemoMatch): string | null {
  if (maps && !maps.includes(match.map)) return `its map is ${match.map}`;
  const isNamed = (player: DemoPlayer) => isPerson(player) && players?.includes(player.steam64_id);
  return players && !match.players.some(isNamed) ? "none of the rule's players is in it" : null;
}

/**
 * Returns the moments that a rule renders, in the order of the submits: the best first, for `kills` the players with
 * the most kills. Has no moment twice, and no player who cannot be shown.
 */
export function momentsOf(render: Rule['render'], match: DemoMatch): RuleMoment[] {
  const { what, limit = what === 'highlights' ? 3 : 10, kinds, players, team } = render;
  const isShown = (player: DemoPlayer): boolean =>
    canBeShown(match, player) && (!players || players.includes(player.steam64_id)) && (!team || team === player.team);
  const found = new Map<string, RuleMoment>();
  if (what === 'kills') {
    const killers = match.players.filter((player) => isShown(player) && player.kills > 0);
    for (const { steam64_id } of killers.sort((a, b) => b.kills - a.kills)) found.set(steam64_id, { steam64_id });
  }
  for (const { player: at, round, kinds: has, request } of what === 'kills' ? [] : match.highlights) {
    const player = match.players[at];
    if (!player || !isShown(player) || (kinds && !kinds.some((kind) => has.includes(kind)))) continue;
    const name = what === 'best_of_each' ? player.steam64_id : `${player.steam64_id} ${round}`;
    if (!found.has(name)) found.set(name, request);
  }
  return [...found.values()].slice(0, limit);
}
