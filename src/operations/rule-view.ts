import { DAY_MS } from '#domain/metering.ts';
import { invalidRequest, notFound, ProblemError } from '#http/problem.ts';
import { discordWebhook } from '#protocol/discord-url.ts';
import { isoTime, isoTimeOrNull } from '#protocol/job-view.ts';
import type { Rule } from '#protocol/rules.ts';
import { clipBody } from '#service/rules/clip-body.ts';
import type { Service } from '#service/service.ts';
import { requireValid } from '#service/submit-one.ts';
import type { Caller } from '#storage/accounts.ts';
import { findRule, type RuleRow, selectRuleRuns, selectRules } from '#storage/rules.ts';

type RuleService = Pick<Service, 'database' | 'settings' | 'now'>;

/** Returns a rule of the caller. Throws a 404 problem if there is none. */
export async function requireRule({ database }: RuleService, { accountId }: Caller, id: string): Promise<RuleRow> {
  const rule = await findRule(database, accountId, id);
  if (!rule) throw notFound();
  return rule;
}

/** Throws a 400 problem if no clip could be submitted with the options and destinations of a rule. */
export async function requireValidRule(
  service: RuleService,
  caller: Caller,
  rule: Pick<RuleRow, 'definition' | 'send'>,
): Promise<void> {
  const { discord_url } = rule.send;
  if (discord_url !== undefined && !discordWebhook(discord_url, service.settings.allowPrivateAddresses)) {
    throw invalidRequest([{ path: 'send.discord_url', message: 'must be the URL of a webhook of Discord' }]);
  }
  const body = clipBody(rule, { steam64_id: '1' }, 'https://example.com/match.dem');
  await requireValid(service, caller, body, null).catch((error: unknown) => {
    if (!(error instanceof ProblemError && error.errors)) throw error;
    const parent = (path: string) => (path.startsWith('webhook_') ? 'send' : 'options');
    throw invalidRequest(error.errors.map(({ path, message }) => ({ path: `${parent(path)}.${path}`, message })));
  });
}

/** Returns one rule with its latest runs. Throws a 404 problem if there is none. */
export async function ruleView(service: RuleService, { accountId }: Caller, id: string, latest = 20): Promise<Rule> {
  const [rule] = await ruleViews(service, accountId, latest, id);
  if (!rule) throw notFound();
  return rule;
}

/** Returns the rules of an account without their secrets, or one of them, each with its latest runs. */
export async function ruleViews(
  { database, settings, now }: RuleService,
  accountId: string,
  latest: number,
  one?: string,
): Promise<Rule[]> {
  const runs = await selectRuleRuns(database, accountId, latest, one);
  return (await selectRules(database, accountId, now() - (now() % DAY_MS), one)).map((rule) => {
    const { id, name, enabled, definition, send, failures, pausedAt, pauseReason, keyId, keyName } = rule;
    const { webhook_url, discord_url = '' } = send;
    const discord = discordWebhook(discord_url, settings.allowPrivateAddresses);
    const own = runs
      .filter(({ ruleId }) => ruleId === id)
      .map(({ id, state, uploadId: upload_id, requests, detail, createdAt, endedAt, ...run }) => {
        const clips = Math.min(run.clips, requests.length);
        const jobs = run.jobs.map(({ finished_at: _, ...job }) => job);
        const times = { created_at: isoTime(createdAt), ended_at: isoTimeOrNull(endedAt) };
        return { id, state, upload_id, clips, detail, jobs, ...times };
      });
    return {
      ...{ id, name, enabled, ...definition, failures, created_at: isoTime(rule.createdAt) },
      send: { ...(webhook_url && { webhook_url }), ...(discord && { discord_url: discord.masked }) },
      paused: pausedAt === null ? null : { at: isoTime(pausedAt), reason: pauseReason ?? '' },
      used: JSON.parse(rule.used),
      made_by: { key_id: keyId, name: keyName },
      last_run: own[0] ?? null,
      ...(one && { runs: own }),
    };
  });
}
