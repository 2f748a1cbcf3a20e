import { DAY_MS } from '#domain/job/metering.ts';
import { notFound } from '#http/problem.ts';
import { discordWebhook } from '#protocol/job/discord.ts';
import { isoTime, isoTimeOrNull } from '#protocol/lib/shapes.ts';
import type { Rule } from '#protocol/rule/rules.ts';
import type { Service } from '#service/lib/service.ts';
import type { Caller } from '#storage/account/accounts.ts';
import { selectRuleRuns, selectRules } from '#storage/rule/rules.ts';

export type RuleService = Pick<Service, 'database' | 'settings' | 'now'>;

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
      id,
      name,
      enabled,
      ...definition,
      failures,
      created_at: isoTime(rule.createdAt),
      send: { ...(webhook_url && { webhook_url }), ...(discord && { discord_url: discord.masked }) },
      paused: pausedAt === null ? null : { at: isoTime(pausedAt), reason: pauseReason ?? '' },
      used: JSON.parse(rule.used),
      made_by: { key_id: keyId, name: keyName },
      last_run: own[0] ?? null,
      ...(one && { runs: own }),
    };
  });
}
