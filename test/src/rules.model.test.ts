import { and, eq, inArray } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { HostInspection } from '#protocol/demo/demos.ts';
import { uploadIdIn } from '#protocol/demo/uploads.ts';
import { FOUND_DEMO } from '#protocol/examples/client.ts';
import type { Rule } from '#protocol/rule/rules.ts';
import { createService } from '#service/lib/service.ts';
import { advanceRuns } from '#service/rule/advance-runs.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { ruleRuns } from '#storage/schema/rules.ts';
import { apiKeys, jobs } from '#storage/schema/schema.ts';
import { createAccount, createHost } from '../support/accounts.ts';
import { createFaultyService, SAYS } from '../support/faulty-service.ts';
import { arrive, newContent } from '../support/rules.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, sendJson } from '../support/service.ts';

/**
 * Rules of several accounts and demos that come at the same time, some of them twice, while calls of the platform fail
 * before and after they took effect. What is rendered is compared with a model that knows no order: which demos get a
 * scarce budget is a race, how many clips there are in all is not.
 */

const { database } = createService(bindings);
const DEMOS = 6;
const [HIGHLIGHT] = FOUND_DEMO.highlights;
if (!HIGHLIGHT) throw new Error('the example has none');

/** The rules of each account, and how many clips each may make of the demos that its tags match: null for all. */
const RULES: readonly { readonly body: object; readonly of: (demo: number) => number; readonly most: number }[] = [
  { body: { render: { what: 'highlights', limit: 2 } }, of: (demo) => Math.min(2, demo), most: 50 },
  {
    body: { when: { tags: ['odd'] }, render: { what: 'highlights', limit: 10 } },
    of: (demo) => (demo % 2 ? demo : 0),
    most: 50,
  },
  // Fewer clips than the demos have: the last demo gets a part.
  {
    body: { render: { what: 'highlights', limit: 10 }, budget: { demos_a_day: 20, clips_a_day: 7 } },
    of: (demo) => demo,
    most: 7,
  },
  { body: { render: { what: 'kills', limit: 1 }, budget: { demos_a_day: 3, clips_a_day: 50 } }, of: () => 1, most: 3 },
];

/** A demo with as many highlights as its number. */
const demoOf = (demo: number): HostInspection => ({
  ...(FOUND_DEMO as HostInspection),
  highlights: Array.from({ length: demo }, (_, at) => ({
    ...HIGHLIGHT,
    round: at + 1,
    request: { steam64_id: HIGHLIGHT.request.steam64_id, round: at + 1 },
  })),
});

async function createRules() {
  const { id, metered } = await createAccount();
  const path = `/admin/accounts/${id}/keys`;
  const made = await sendJson(ADMIN_TOKEN, 'POST', path, { kind: 'metered', scope: 'ingest' });
  const { key_id: keyId } = await made.json<{ key_id: string }>();
  const rules: Rule[] = [];
  for (const { body } of RULES) {
    const response = await sendJson(metered, 'POST', '/api/rules', { name: 'rule', ...body });
    expect(response.status).toBe(201);
    rules.push(await response.json<Rule>());
  }
  return { id, metered, keyId, rules };
}

/** Two rows for each demo, as if its first upload had been deleted, come at the same time. */
async function arriveAll(accountId: string, keyId: string, numbers: Map<string, number>): Promise<string[]> {
  const all = Array.from({ length: DEMOS }, (_, at) => ({ demo: at + 1, sha256: newContent() }));
  const twice = all.flatMap((one) => [
    { ...one, bytes: 1 },
    { ...one, bytes: 2 },
  ]);
  return Promise.all(
    twice.map(async ({ demo, ...file }) => {
      const tag = demo % 2 ? 'odd' : null;
      const id = await arrive(database, accountId, { ...file, keyId, tag });
      numbers.set(id, demo);
      return id;
    }),
  );
}

describe('rules and demos at the same time', () => {
  it('render what the model says, each moment once, within every budget', async () => {
    const accounts = [await createRules(), await createRules(), await createRules(), await createRules()];
    const [usual, scarce, revoked, suspended] = accounts;
    if (!usual || !scarce || !revoked || !suspended) throw new Error('there are four');
    await database
      .update(apiKeys)
      .set({ ingestLimits: { clips: 9 } })
      .where(eq(apiKeys.id, scarce.keyId));
    const numbers = new Map<string, number>();
    const uploads = (await Promise.all(accounts.map(({ id, keyId }) => arriveAll(id, keyId, numbers)))).flat();
    await sendJson(ADMIN_TOKEN, 'DELETE', `/admin/accounts/${revoked.id}/keys/${revoked.rules[0]?.made_by.key_id}`);
    await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${suspended.id}`, { suspended: true });

    // The runs of the others wait for a key, and for the end of the suspension.
    const areOpen = and(
      inArray(ruleRuns.accountId, [usual.id, scarce.id]),
      inArray(ruleRuns.state, ['waiting', 'submitting']),
    );
    // Isolates that die at any of their calls: the object or the database may have done the work.
    const host = await createHost();
    for (let round = 0; round < 16; round++) {
      const isolates = [0, 1, 2].map(() => createFaultyService());
      // The last ones live.
      for (const [at, { fail }] of round < 8 ? isolates.entries() : []) {
        const when = (round + at) % 2 ? 'after' : 'before';
        for (const call of ['submit', 'readDemo', 'inspectDemo'])
          fail(`RENDER_JOB.${call}`, SAYS.d1[2] ?? '', { when });
        fail('DB', SAYS.d1[at] ?? '', { when, times: round % 4 });
      }
      const open = uploads.filter((_, at) => at % 4 === round % 4);
      await Promise.all(isolates.flatMap(({ service }) => open.map((id) => advanceRuns(service, id))));
      for (let grant = await host.claim({ skills: ['inspect', 'uploads'] }); grant; ) {
        const number = numbers.get(uploadIdIn(grant.order.demo_url, [new URL(BASE_URL)]) ?? '') ?? 0;
        if (grant.order.selection.mode === 'inspect') {
          await host.heartbeat(grant);
          await host.report(grant, 'inspected', { demo: demoOf(number) });
        }
        grant = await host.claim({ skills: ['inspect', 'uploads'] });
      }
      const { service } = isolates[0] ?? createFaultyService();
      if (round % 10 === 9) await runUpkeep(service, Date.now()).catch(() => {});
      if ((await database.$count(ruleRuns, areOpen)) === 0) break;
    }
    expect(await database.$count(ruleRuns, areOpen)).toBe(0);

    for (const account of accounts) {
      const runs = await database.select().from(ruleRuns).where(eq(ruleRuns.accountId, account.id));
      expect(runs.length).toBeLessThanOrEqual(RULES.length * DEMOS);
      const made = () =>
        database.$count(
          jobs,
          inArray(
            jobs.ruleRun,
            runs.map(({ id }) => id),
          ),
        );
      const claimed = runs.reduce((sum, { clips }) => sum + clips, 0);
      // No job twice, and none is missing.
      await expect.poll(made).toBe(claimed);
      const clipsOf = (rule: Rule) => runs.filter(({ ruleId }) => ruleId === rule.id);
      const perRule = account.rules.map((rule) => clipsOf(rule).reduce((sum, { clips }) => sum + clips, 0));
      const wanted = RULES.map(({ of, most }) =>
        Math.min(
          most,
          Array.from({ length: DEMOS }, (_, at) => of(at + 1)).reduce((sum, count) => sum + count, 0),
        ),
      );
      if (account === usual) expect(perRule).toEqual(wanted);
      else if (account === scarce) expect(claimed).toBe(9);
      else expect(claimed).toBe(0);
      for (const run of runs) {
        const of = await sendJson(account.metered, 'GET', `/api/rules/${run.ruleId}`);
        if (account === usual) expect((await of.json<Rule>()).paused).toBeNull();
        expect(run.requests.length).toBeGreaterThanOrEqual(run.clips);
        expect(new Set(run.requests.map((one) => JSON.stringify(one))).size).toBe(run.requests.length);
      }
    }
  });
});
