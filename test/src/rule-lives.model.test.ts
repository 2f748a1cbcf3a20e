import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { DEFAULT_SCHEDULE } from '#domain/job/schedule.ts';
import { FOUND_DEMO } from '#protocol/examples/client.ts';
import type { Rule } from '#protocol/rule/rules.ts';
import { type Bindings, createService } from '#service/lib/service.ts';
import { advanceRuns } from '#service/rule/advance-runs.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { createAccount, createHost } from '../support/accounts.ts';
import { createFaultyService, SAYS } from '../support/faulty-service.ts';
import { allAtRest, watchWork } from '../support/objects.ts';
import { arrive, newContent } from '../support/rules.ts';
import { ADMIN_TOKEN, bindings, sendJson } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

/**
 * Random lives of a rule: demos come and come again, hosts are away, limits are reached, the rule is paused, disabled
 * and resumed, and isolates die between any two calls. In the end each content has its clips, or a reason that its
 * customer sees in the rule and got by a webhook.
 */

vi.setConfig({ testTimeout: 900_000 });
const service = createService(bindings);
const HOUR = 60 * 60_000;
const CONTENTS = 3;
const env = bindings as Bindings & { readonly MODEL_RUNS: string; readonly MODEL_SEED?: string };

const content = fc.nat({ max: CONTENTS - 1 });
const STEP = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('come' as const), content, isNew: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('read' as const), isGood: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('end' as const), isDone: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('cut' as const),
      call: fc.constantFrom('DB', 'RENDER_JOB.readDemo', 'RENDER_JOB.submit', 'RENDER_JOB.inspectDemo'),
      when: fc.constantFrom('before' as const, 'after' as const),
      after: fc.nat({ max: 8 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cron' as const), hours: fc.constantFrom(0, 1, 30) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('limit' as const, 'disable' as const, 'pause' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('unlimit' as const, 'resume' as const) }) },
);

it('each content ends with its clips, or with a reason that its customer sees', async () => {
  await watchWork();
  const host = await createHost();
  const life = fc.asyncProperty(fc.array(STEP, { minLength: 4, maxLength: 14 }), async (steps) => {
    const { id, metered } = await createAccount();
    const inbox = createInbox();
    const body = { name: 'all', render: { what: 'kills', limit: 2 }, send: { webhook_url: inbox.url } };
    const { id: ruleId } = await (await sendJson(metered, 'POST', '/api/rules', body)).json<Rule>();
    const change = async (token: string, path: string, body: object) =>
      expect((await sendJson(token, 'PATCH', path, body)).status).toBe(200);
    const enable = (enabled: boolean) => change(metered, `/api/rules/${ruleId}`, { enabled });
    const limit = (limits: object) => change(ADMIN_TOKEN, `/admin/accounts/${id}`, { limits });
    const read = async () => (await sendJson(metered, 'GET', `/api/rules/${ruleId}`)).json<Rule>();
    const files = Array.from({ length: CONTENTS }, () => ({ sha256: newContent(), bytes: 1 }));
    const upkeep = async (by = service, after = 5 * 60_000) => {
      vi.setSystemTime(Date.now() + after);
      await runUpkeep(by, Date.now()).catch(() => {});
    };
    const come = async (at: number, isNew: boolean, by = service) => {
      const file = files[at] ?? { sha256: '', bytes: 0 };
      // Another upload of the same bytes, as after the first was deleted.
      if (isNew) file.bytes++;
      const upload = await arrive(service.database, id, file).catch(() => null);
      if (upload) await advanceRuns(by, upload);
    };
    /** Asks once the queue has every job that waits. */
    const claim = async () => {
      await allAtRest();
      return host.claim({ skills: ['inspect', 'uploads'] });
    };
    /** Lets a host do the work of the account: read demos, or make clips. */
    const work = async (isInspection: boolean, isGood: boolean) => {
      const others = [];
      for (let grant = await claim(); grant; grant = await claim()) {
        const isMine = (grant.order.selection.mode === 'inspect') === isInspection;
        if (!isMine) others.push(grant);
        else if (await host.begin(grant)) {
          if (!isGood) await host.fail(grant, isInspection ? 'demo_failed_parse' : 'player_not_in_demo');
          else if (isInspection) await host.report(grant, 'inspected', { demo: FOUND_DEMO });
          else await host.finish(grant);
        }
      }
      for (const other of others) await host.release(other);
    };
    let next = createFaultyService();
    for (const step of steps) {
      const by = next.service;
      if (step.do === 'come') await come(step.content, step.isNew, by);
      if (step.do === 'read') await work(true, step.isGood);
      if (step.do === 'end') await work(false, step.isDone);
      if (step.do === 'cron') await upkeep(by, step.hours * HOUR);
      if (step.do === 'limit') await limit({ jobs: 1 });
      if (step.do === 'unlimit') await limit({});
      if (step.do === 'disable') await enable(false);
      if (step.do === 'resume') await enable(true);
      if (step.do === 'pause') {
        const paused = 'UPDATE rules SET enabled = 0, paused_at = 1, pause_reason = ? WHERE id = ? AND enabled';
        await bindings.DB.prepare(paused).bind('for a test', ruleId).run();
      }
      if (step.do !== 'cut') continue;
      next = createFaultyService();
      if (step.call === 'DB') next.allow(step.after);
      else next.fail(step.call, SAYS.d1[2] ?? '', { when: step.when, times: step.after });
    }
    await limit({});
    await enable(true);
    // Hosts are there. A run that is stuck would end at its deadline at the latest.
    for (let turn = 0; turn < 4; turn++) {
      await upkeep();
      await work(true, true);
      await work(false, true);
    }
    await upkeep(service, DEFAULT_SCHEDULE.webhookSpacing);
    await allAtRest();
    const { runs = [] } = await read();
    const told = (await inbox.received()).map(({ body: text }) => JSON.parse(text));
    for (const { id: run, state, detail, jobs, clips } of runs) {
      const about = JSON.stringify({ run, state, detail, jobs });
      expect(['done', 'failed', 'skipped'], about).toContain(state);
      if (state === 'done') expect(jobs.filter(({ status }) => status === 'done').length, about).toBeGreaterThan(0);
      else expect(detail, about).not.toBeNull();
      expect(jobs.length, about).toBe(clips);
      if (jobs.length > 0) continue;
      expect(told, about).toContainEqual(expect.objectContaining({ event: 'rule.ended', run_id: run, state, detail }));
    }
  });
  const seed = env.MODEL_SEED === undefined ? {} : { seed: Number(env.MODEL_SEED) };
  await fc.assert(life, { numRuns: Number(env.MODEL_RUNS), endOnFailure: true, ...seed });
});
