import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, inject, it, vi } from 'vitest';
import type { ClipFacts } from '#domain/clip/clip-title.ts';
import { parseSubmit } from '#protocol/clip/submit.ts';
import type { DeliveryList } from '#protocol/job/delivery-view.ts';
import { prepareDiscord } from '#service/job/send-discord.ts';
import { createService } from '#service/lib/service.ts';
import { advanceRuns } from '#service/rule/advance-runs.ts';
import { standInMp4 } from '#test/support/test-host.ts';
import { clipIdOf, spendBudget } from '../support/accounts.ts';
import { createChannel } from '../support/discord-channel.ts';
import { evict, fireAlarm, pass, ringEvicted, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, bindings, roundRequest, sendJson } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const scene = useScenario();
const MIB = 1024 * 1024;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FACTS: ClipFacts = { kills: 3, players: ['@everyone', 'Ju_niper'], map: 'de_nuke', round: 5 };

const run = (query: string, ...values: unknown[]) =>
  bindings.DB.prepare(query)
    .bind(...values)
    .run();
const row = (query: string, ...values: unknown[]) =>
  bindings.DB.prepare(query)
    .bind(...values)
    .first<Record<string, unknown>>();
const channel = () => createChannel(inject('discordUrl'));

/** Makes a rule with a run of some jobs, which wait for a host. */
async function runOf(count: number, send: object, request: Record<string, unknown> = {}) {
  const [ruleId, runId] = [crypto.randomUUID(), crypto.randomUUID()];
  await run(
    `INSERT INTO rules (id, account_id, name, key_id, definition, send, enabled, created_at)
      VALUES (?, ?, 'a rule', 'a key', '{}', ?, 1, 1)`,
    ...[ruleId, scene.account.id, JSON.stringify(send)],
  );
  await run(
    `INSERT INTO rule_runs (id, rule_id, account_id, upload_id, state, clips, requests, created_at)
      VALUES (?, ?, ?, 'upload', 'running', ?, ?, 1)`,
    ...[runId, ruleId, scene.account.id, count, JSON.stringify(Array(count).fill({}))],
  );
  const jobIds = Array.from({ length: count }, () => crypto.randomUUID());
  for (const jobId of jobIds) {
    const parsed = parseSubmit(roundRequest(request), null);
    if (!parsed.ok) throw new Error('the request is wrong');
    const clipId = await clipIdOf(jobId);
    const rule = { id: ruleId, run: runId };
    const asks = { renderer: 'radar', labels: [] } as const;
    const work = { jobId, accountId: scene.account.id, clipId, priority: false, request: parsed.request };
    await bindings.RENDER_JOB.getByName(jobId).submit({ ...work, rule, asks });
    vi.setSystemTime(Date.now() + 1);
  }
  return { ruleId, runId, jobIds };
}

async function make(jobId: string, made = {}): Promise<void> {
  await scene.host.finish(await scene.host.claimJob(jobId), { facts: FACTS, ...made });
}

const deliveriesOf = async (jobId: string) =>
  (await (await sendJson(scene.account.metered, 'GET', `/api/jobs/${jobId}/deliveries`)).json<DeliveryList>())
    .deliveries;
const postsOf = async (jobIds: readonly string[]) =>
  (await Promise.all(jobIds.map(deliveriesOf))).flat().filter(({ event }) => event === 'discord');
const resend = (jobId: string) => sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/resend-webhook`);

/** Resolves when the post of a run has this status. */
const ended = (jobIds: readonly string[], status: string) =>
  expect.poll(async () => (await postsOf(jobIds)).map((one) => one.status)).toEqual([status]);
const tried = (jobIds: readonly string[], attempts: number) =>
  expect.poll(async () => (await postsOf(jobIds))[0]?.attempts.length).toBe(attempts);

it('posts the clips of a run once, when its last job has ended, with the files', { tags: ['long'] }, async () => {
  const discord = await channel();
  const { jobIds } = await runOf(3, { discord_url: `${discord.url}?thread_id=77` });
  const [first = '', second = '', third = ''] = jobIds;
  await make(first);
  await make(third, { video: standInMp4(30_000) });
  expect(await discord.requests()).toEqual([]);
  await make(second, { video: standInMp4(50_000) });
  await ended(jobIds, 'delivered');
  const [post, ...others] = await discord.requests();
  expect(others).toEqual([]);
  expect(post).toMatchObject({
    path: `/api/v10/webhooks/${discord.id}/${discord.token}?wait=true&thread_id=77`,
    status: 200,
    message: { allowed_mentions: { parse: [] } },
  });
  const pages = await Promise.all(jobIds.map(async (id) => `https://tickreel.test/clips/${await clipIdOf(id)}`));
  expect(post?.message.embeds.map(({ url }: { url: string }) => url)).toEqual(pages);
  expect(post?.message.embeds[0].title).toBe('3 kills by \\@everyone and Ju\\_niper');
  expect(post?.files).toMatchObject([
    { field: 'files[0]', name: 'clip-1.mp4', type: 'video/mp4', bytes: 40_000 },
    { field: 'files[1]', name: 'clip-2.mp4', type: 'video/mp4', bytes: 50_000 },
    { field: 'files[2]', name: 'clip-3.mp4', type: 'video/mp4', bytes: 30_000 },
  ]);
  const sums = await bindings.DB.prepare('SELECT video_sha256 FROM clips WHERE job_id IN (?, ?) ORDER BY video_bytes')
    .bind(first, second)
    .all<{ video_sha256: string }>();
  expect(post?.files.slice(0, 2).map(({ sha256 }) => sha256)).toEqual(
    sums.results.map(({ video_sha256 }) => video_sha256),
  );
});

it('posts only addresses if a video is too large, and removes that of a deleted clip', {
  tags: ['long'],
}, async () => {
  const discord = await channel();
  const { jobIds } = await runOf(3, { discord_url: discord.url });
  const [large = '', deleted = '', small = ''] = jobIds;
  for (const id of jobIds) await make(id, id === large ? { video: standInMp4(11 * MIB) } : {});
  await ended(jobIds, 'delivered');
  const pages = await Promise.all(jobIds.map(pageOf));
  expect(await discord.shown()).toMatchObject([{ content: pages.join('\n'), embeds: [], files: [] }]);
  await ENDS.deletion?.(deleted);
  const left = [pages[0], pages[2]].join('\n');
  await expect.poll(() => discord.shown()).toMatchObject([{ content: left, embeds: [], files: [] }]);
  await ENDS.deletion?.(large);
  await expect.poll(() => discord.shown()).toMatchObject([{ content: '', embeds: [{ url: await pageOf(small) }] }]);
});

it('posts once whichever jobs end at the same moment, and leaves out those that failed', {
  tags: ['long'],
}, async () => {
  for (let round = 0; round < 6; round++) {
    const discord = await channel();
    const { jobIds, runId } = await runOf(4, { discord_url: discord.url });
    const grants = await Promise.all(jobIds.map((id) => scene.host.claimJob(id)));
    const ends = grants.map((grant, i) => async () => {
      if (i === round % 4) await scene.host.fail(grant, 'player_not_in_demo');
      else await scene.host.finish(grant);
    });
    const [last, ...others] = [...ends.slice(round), ...ends.slice(0, round)];
    await Promise.all([...others, ...(last ? [last] : [])].map((end) => end()));
    await ended(jobIds, 'delivered');
    expect((await discord.requests()).map(({ message }) => message.embeds.length)).toEqual([3]);
    expect(await row('SELECT state FROM rule_runs WHERE id = ?', runId)).toEqual({ state: 'done' });
  }
});

it.each([0, 1])(
  'posts once, also if the index was restored and its rows come back in any order (%i)',
  { tags: ['long'] },
  async (next) => {
    const discord = await channel();
    const { jobIds, runId } = await runOf(2, { discord_url: discord.url });
    for (const id of jobIds) await make(id);
    await ended(jobIds, 'delivered');
    const posted = await row('SELECT state, posted_by FROM rule_runs WHERE id = ?', runId);
    await run("UPDATE rule_runs SET state = 'running', posted_by = NULL, ended_at = NULL WHERE id = ?", runId);
    await run('DELETE FROM clips WHERE job_id IN (?, ?)', ...jobIds);
    await run("UPDATE jobs SET version = 1, status = 'pending', finished_at = NULL WHERE rule_run = ?", runId);
    for (const id of next ? jobIds.toReversed() : jobIds) {
      const objects = [bindings.RENDER_JOB.idFromName(id).toString()];
      expect(await (await sendJson(ADMIN_TOKEN, 'POST', '/admin/reindex', { objects })).json()).toMatchObject({
        indexed: 1,
      });
    }
    await advanceRuns(createService(bindings), 'upload');
    expect(await row('SELECT state, posted_by FROM rule_runs WHERE id = ?', runId)).toEqual(posted);
    for (const id of jobIds) await fireAlarm(id);
    await ended(jobIds, 'delivered');
    expect(await discord.requests()).toHaveLength(1);
  },
);

it('posts nothing if no clip was made, also when one is made later', { tags: ['long'] }, async () => {
  const discord = await channel();
  const { jobIds, runId } = await runOf(2, { discord_url: discord.url });
  for (const id of jobIds) await scene.host.fail(await scene.host.claimJob(id), 'player_not_in_demo');
  await expect.poll(() => row('SELECT state FROM rule_runs WHERE id = ?', runId)).toEqual({ state: 'failed' });
  const [first = ''] = jobIds;
  await sendJson(scene.account.metered, 'POST', `/api/jobs/${first}/resubmit`);
  await make(first);
  await expect.poll(() => row('SELECT status FROM jobs WHERE id = ?', first)).toEqual({ status: 'done' });
  expect(await postsOf(jobIds)).toEqual([]);
  expect(await discord.requests()).toEqual([]);
});

it('posts nothing of a run that ended a day before its rule got an address', async () => {
  const discord = await channel();
  const { jobIds, ruleId, runId } = await runOf(1, {});
  const [jobId = ''] = jobIds;
  await make(jobId);
  await expect.poll(() => row('SELECT state FROM rule_runs WHERE id = ?', runId)).toEqual({ state: 'done' });
  await run('UPDATE rules SET send = ? WHERE id = ?', JSON.stringify({ discord_url: discord.url }), ruleId);
  vi.setSystemTime(Date.now() + 24 * 60 * MINUTE + 1);
  const clipId = await clipIdOf(jobId);
  await sendJson(scene.account.metered, 'POST', `/api/clips/${clipId}/save`);
  await expect.poll(() => row('SELECT is_saved FROM clips WHERE id = ?', clipId)).toEqual({ is_saved: 1 });
  expect([await postsOf(jobIds), await discord.requests()]).toEqual([[], []]);
});

it('is independent of the webhook, whose header and signature Discord does not get', async () => {
  const discord = await channel();
  const inbox = createInbox('500');
  await sendJson(scene.account.metered, 'POST', '/api/webhook-secrets');
  const request = { webhook_url: inbox.url, webhook_auth_header: 'Token of-the-webhook' };
  const { jobIds } = await runOf(1, { discord_url: discord.url }, request);
  const [jobId = ''] = jobIds;
  await make(jobId);
  await ended(jobIds, 'delivered');
  await expect.poll(async () => (await inbox.received()).length).toBe(1);
  expect((await inbox.received())[0]?.headers).toMatchObject({ authorization: 'Token of-the-webhook' });
  const [post] = await discord.requests();
  expect(Object.keys(post?.headers ?? {}).filter((name) => /authorization|webhook-|service-(d|a)/.test(name))).toEqual(
    [],
  );
  // A re-run cancels the webhook, and posts nothing.
  await sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/resubmit`);
  await make(jobId);
  await expect.poll(async () => (await inbox.received()).length).toBe(2);
  expect((await deliveriesOf(jobId)).map(({ event, status }) => `${event} ${status}`)).toEqual([
    'job.completed canceled',
    'discord delivered',
    'job.completed queued',
  ]);
  expect(await discord.requests()).toHaveLength(1);
});

it('waits as long as a 429 asks for, which is no attempt; a re-run does not cancel the post', {
  tags: ['long'],
}, async () => {
  const discord = await channel();
  await discord.answerWith(Array.from({ length: 12 }, () => '429:64.57').join());
  const { jobIds } = await runOf(1, { discord_url: discord.url });
  const [jobId = ''] = jobIds;
  await make(jobId);
  for (let asked = 1; asked <= 12; asked++) {
    await expect.poll(async () => (await discord.requests()).length).toBe(asked);
    await expect.poll(async () => (await postsOf(jobIds))[0]?.attempts).toMatchObject([{ http_status: 429 }]);
    const [waiting] = await postsOf(jobIds);
    expect(waiting).toMatchObject({ status: 'queued' });
    expect(Date.parse(waiting?.next_attempt_at ?? '') - Date.parse(waiting?.attempts[0]?.at ?? '')).toBe(64_570);
    if (asked === 5) await sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/resubmit`);
    if (asked === 6) await make(jobId);
    if (asked === 7) await evict(jobId);
    await pass(64_569, jobId);
    expect(await discord.requests()).toHaveLength(asked);
    await pass(1, jobId);
  }
  await ended(jobIds, 'delivered');
  expect((await postsOf(jobIds))[0]?.attempts).toMatchObject([{ attempt: 1, http_status: 200, error: null }]);
  expect(await row('SELECT webhook_trouble FROM jobs WHERE id = ?', jobId)).toEqual({ webhook_trouble: null });
});

it('gives up at once if Discord refuses, counts that as a failure, and can be sent again', async () => {
  const discord = await channel();
  const { jobIds, ruleId, runId } = await runOf(1, { discord_url: discord.url.replace(discord.token, 'forged') });
  const [jobId = ''] = jobIds;
  await make(jobId);
  await ended(jobIds, 'exhausted');
  const reason = 'Discord answered 401: the token of the webhook is not valid';
  expect(await postsOf(jobIds)).toMatchObject([
    { url: discord.url.replace(discord.token, '…'), attempts: [{ http_status: 401, error: reason }] },
  ]);
  expect(await row('SELECT state, detail FROM rule_runs WHERE id = ?', runId)).toEqual({
    state: 'failed',
    detail: reason,
  });
  expect(await row('SELECT failures FROM rules WHERE id = ?', ruleId)).toEqual({ failures: 1 });
  await expect
    .poll(() => row('SELECT webhook_trouble FROM jobs WHERE id = ?', jobId))
    .toEqual({ webhook_trouble: 'exhausted' });
  const troubles = await (await sendJson(ADMIN_TOKEN, 'GET', '/admin/deliveries')).text();
  expect(troubles).toContain(`/webhooks/${discord.id}/…`);
  expect(troubles).not.toContain('forged');
  await run('UPDATE rules SET send = ? WHERE id = ?', JSON.stringify({ discord_url: discord.url }), ruleId);
  expect((await resend(jobId)).status).toBe(200);
  await expect
    .poll(async () => (await postsOf(jobIds)).map(({ status }) => status))
    .toEqual(['exhausted', 'delivered']);
  expect(await discord.posts()).toHaveLength(1);
  expect(await row('SELECT failures FROM rules WHERE id = ?', ruleId)).toEqual({ failures: 0 });
  // A post that was delivered is not sent again.
  expect((await resend(jobId)).status).toBe(409);
});

it('waits for the next hour if the account has used its budget, and says why', async () => {
  const discord = await channel();
  const { jobIds } = await runOf(1, { discord_url: discord.url });
  const [jobId = ''] = jobIds;
  await spendBudget(scene.account.id, { webhook_attempts: 5999, webhook_attempt_kb: 200_000_000 - 300 });
  await make(jobId);
  await expect.poll(async () => (await postsOf(jobIds))[0]?.wait_reason).toMatch(/200000 kB an hour/);
  await ringEvicted(jobId, Math.ceil(Date.now() / HOUR) * HOUR - 1);
  expect(await discord.requests()).toEqual([]);
  await pass(1, jobId);
  await ended(jobIds, 'delivered');
});

it('posts without files if they are too large for the server', async () => {
  const discord = await channel();
  await discord.answerWith('413');
  const { jobIds } = await runOf(1, { discord_url: discord.url });
  await make(jobIds[0] ?? '');
  await ended(jobIds, 'delivered');
  const sent = (await discord.requests()).map(({ status, files, message }) => [status, files.length, message.content]);
  expect(sent).toEqual([
    [413, 1, undefined],
    [200, 0, expect.stringMatching(/^https:.*\/clips\/[\da-f-]{36}$/)],
  ]);
});

it.each<[string, (ids: { readonly ruleId: string; readonly jobId: string }) => Promise<unknown>]>([
  ['its rule is deleted', ({ ruleId }) => run('DELETE FROM rules WHERE id = ?', ruleId)],
  ['its rule has no address', ({ ruleId }) => run("UPDATE rules SET send = '{}' WHERE id = ?", ruleId)],
  ['its account is suspended', () => run('UPDATE accounts SET suspended_at = 1 WHERE id = ?', scene.account.id)],
  ['its account is being erased', () => run('UPDATE accounts SET erasing_at = 1 WHERE id = ?', scene.account.id)],
  [
    'its clips are deleted',
    async ({ jobId }) => {
      const clipId = await clipIdOf(jobId);
      await sendJson(scene.account.metered, 'DELETE', `/api/clips/${clipId}`);
      const state = () => row('SELECT state FROM clips WHERE id = ?', clipId);
      await expect.poll(state).toEqual({ state: 'deleted' });
    },
  ],
])('is canceled if %s meanwhile', async (_, change) => {
  const discord = await channel();
  await discord.answerWith('500');
  const { jobIds, ruleId } = await runOf(1, { discord_url: discord.url });
  const [jobId = ''] = jobIds;
  await make(jobId);
  await tried(jobIds, 1);
  await change({ ruleId, jobId });
  await pass(15 * MINUTE, jobId);
  const stored = await runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (_job, { storage }) =>
    storage.sql.exec("SELECT status FROM deliveries WHERE event = 'discord'").toArray(),
  );
  expect(stored).toEqual([{ status: 'canceled' }]);
  expect(await discord.requests()).toHaveLength(1);
});

it('is canceled at once if its account is erased, unlike by a re-run', async () => {
  const discord = await channel();
  await discord.answerWith('500');
  const { jobIds } = await runOf(1, { discord_url: discord.url });
  const [jobId = ''] = jobIds;
  await make(jobId);
  await tried(jobIds, 1);
  const row = { id: jobId, accountId: scene.account.id, clipId: await clipIdOf(jobId) };
  expect(await bindings.RENDER_JOB.getByName(jobId).erase(row)).toBe(true);
  expect(await discord.requests()).toHaveLength(1);
});

it('is tried again after a lost connection, at the address that the rule has by then', async () => {
  const [discord, other] = [await channel(), await channel()];
  await discord.answerWith('reset');
  const { jobIds, ruleId } = await runOf(1, { discord_url: discord.url });
  await make(jobIds[0] ?? '');
  await expect
    .poll(async () => (await postsOf(jobIds))[0]?.attempts)
    .toMatchObject([{ error: 'no answer: connection' }]);
  await run('UPDATE rules SET send = ? WHERE id = ?', JSON.stringify({ discord_url: other.url }), ruleId);
  await pass(15 * MINUTE, jobIds[0] ?? '');
  await ended(jobIds, 'delivered');
  expect([await discord.posts(), await other.posts()].map(({ length }) => length)).toEqual([0, 1]);
});

it('shows and stores the token nowhere but in the rule, and with its clips to delete them', {
  tags: ['long'],
}, async () => {
  const discord = await channel();
  await discord.answerWith('500,404');
  const { jobIds } = await runOf(1, { discord_url: discord.url });
  const [jobId = ''] = jobIds;
  await make(jobId);
  await tried(jobIds, 1);
  await pass(15 * MINUTE, jobId);
  await ended(jobIds, 'exhausted');
  const job = bindings.RENDER_JOB.getByName(jobId);
  const stored = await runInDurableObject(job, (_, { storage }) =>
    ['job', 'deliveries'].map((table) => storage.sql.exec(`SELECT * FROM ${table}`).toArray()),
  );
  const story = await job.story();
  const runs = await bindings.DB.prepare('SELECT * FROM rule_runs').all();
  const tables = await bindings.DB.prepare('SELECT * FROM jobs').all();
  const seen = JSON.stringify([stored, story, runs, tables, await deliveriesOf(jobId)]);
  expect(seen).toContain(`/api/webhooks/${discord.id}/…`);
  expect(seen).not.toContain(discord.token);
});

it.each(['lost', 'kept'])('is announced by the cron if the object dies (%s)', { tags: ['long'] }, async (death) => {
  const discord = await channel();
  const { jobIds, runId } = await runOf(2, { discord_url: discord.url });
  const [first = '', second = ''] = jobIds;
  await make(first);
  const grant = await scene.host.claimJob(second);
  await runInDurableObject(bindings.RENDER_JOB.getByName(second), (_, state) => {
    const { sql } = state.storage;
    const exec = sql.exec.bind(sql);
    sql.exec = ((query: string, ...values: never[]) => {
      if (!query.includes('INSERT INTO deliveries')) return exec(query, ...values);
      if (death === 'lost') return state.abort('dead: lost');
      const result = exec(query, ...values);
      void state.storage.sync().then(() => state.abort('dead: kept'));
      return result;
    }) as typeof sql.exec;
  });
  await scene.host.finish(grant).catch(() => {});
  await expect.poll(() => row('SELECT posted_by FROM rule_runs WHERE id = ?', runId)).toEqual({ posted_by: second });
  for (let i = 0; i < 7; i++) {
    vi.setSystemTime(Date.now() + 6000);
    await fireAlarm(second).catch(() => {});
    await advanceRuns(createService(bindings), 'upload');
  }
  await ended(jobIds, 'delivered');
  expect(await discord.posts()).toHaveLength(1);
});

type End = (jobId: string) => Promise<unknown>;
const ENDS: Readonly<Record<string, End>> = {
  deletion: async (jobId) => sendJson(scene.account.metered, 'DELETE', `/api/clips/${await clipIdOf(jobId)}`),
  'take-down': async (jobId) =>
    sendJson(ADMIN_TOKEN, 'DELETE', `/admin/clips/${await clipIdOf(jobId)}`, { reason: 'x' }),
  erasure: async (id) =>
    bindings.RENDER_JOB.getByName(id).erase({ id, accountId: scene.account.id, clipId: await clipIdOf(id) }),
};
const pageOf = async (jobId: string) => `https://tickreel.test/clips/${await clipIdOf(jobId)}`;

describe('the message of a clip that is gone', () => {
  async function posted(count: number, query = '') {
    const discord = await channel();
    const made = await runOf(count, { discord_url: discord.url + query });
    for (const id of made.jobIds) await make(id);
    await ended(made.jobIds, 'delivered');
    return { discord, ...made };
  }
  const noted = async (jobId: string) => {
    const target = `%${await clipIdOf(jobId)}%`;
    return row("SELECT changes, status FROM audit WHERE action = 'deleteMessage' AND target LIKE ?", target);
  };

  it.each(Object.entries(ENDS))(
    'loses all files and the embed by a %s, and goes with its last clip',
    { tags: ['long'] },
    async (_, end) => {
      const { discord, jobIds, ruleId, runId } = await posted(3, '?thread_id=77');
      const [first = '', second = '', third = ''] = jobIds;
      // Rule and run may be gone for long.
      await run('DELETE FROM rules WHERE id = ?', ruleId);
      await run('DELETE FROM rule_runs WHERE id = ?', runId);
      expect(await discord.shown()).toMatchObject([{ embeds: [{}, {}, {}], files: [{}, {}, {}] }]);
      await end(second);
      const left = [{ url: await pageOf(first) }, { url: await pageOf(third) }];
      await expect.poll(() => discord.shown()).toMatchObject([{ embeds: left, files: [] }]);
      for (const id of [first, third]) await end(id);
      await expect.poll(() => discord.shown()).toEqual([]);
      expect(await noted(second)).toBeNull();
      expect((await discord.requests()).length).toBe(4);
    },
  );

  it('is deleted later where Discord does not answer; it is left, and the audit log says so, after a day', {
    tags: ['long'],
  }, async () => {
    const [late, lost] = [await posted(1), await posted(1)];
    const [lateId = ''] = late.jobIds;
    const [lostId = ''] = lost.jobIds;
    await late.discord.answerWith('500,429:1.5,reset');
    await lost.discord.answerWith(Array(9).fill('500').join());
    for (const id of [lateId, lostId]) await ENDS.deletion?.(id);
    for (let tries = 0; tries < 4; tries++) for (const id of [lateId, lostId]) await pass(5 * MINUTE, id);
    await expect.poll(() => late.discord.shown()).toEqual([]);
    expect(await noted(lateId)).toBeNull();
    expect(await noted(lostId)).toBeNull();
    await pass(24 * 60 * MINUTE, lostId);
    const changes = 'a message in Discord still has the clip: Discord answered 500';
    await expect.poll(() => noted(lostId)).toEqual({ changes, status: 500 });
    const tried = (await lost.discord.requests()).length;
    await pass(24 * 60 * MINUTE, lostId);
    expect(await lost.discord.requests()).toHaveLength(tried);
  });

  it('is noted at once where Discord refuses, but not if somebody has deleted it', { tags: ['long'] }, async () => {
    const [refused, gone] = [await posted(1), await posted(1)];
    const [refusedId = ''] = refused.jobIds;
    const [goneId = ''] = gone.jobIds;
    await refused.discord.remove();
    const [message] = await gone.discord.shown();
    const address = `${gone.discord.url}/messages/${message?.id}`;
    await fetch(address, { method: 'DELETE', headers: { 'User-Agent': 'DiscordBot (https://tickreel.test, 1)' } });
    for (const id of [refusedId, goneId]) await ENDS.deletion?.(id);
    const changes = 'a message in Discord still has the clip: Discord answered 404: the webhook does not exist';
    await expect.poll(() => noted(refusedId)).toEqual({ changes, status: 404 });
    const { entries } = await (await sendJson(ADMIN_TOKEN, 'GET', '/admin/audit')).json<{ entries: object[] }>();
    expect(entries).toContainEqual(expect.objectContaining({ action: 'deleteMessage', operator: 'the service' }));
    const stored = async () => row('SELECT message FROM clips WHERE job_id = ?', goneId);
    await expect.poll(stored).toEqual({ message: null });
    expect(await noted(goneId)).toBeNull();
  });

  it('delays the erasure of its job for a day at most', { tags: ['long'] }, async () => {
    const { discord, jobIds } = await posted(1);
    const [jobId = ''] = jobIds;
    await discord.answerWith(Array(99).fill('500').join());
    for (let runs = 0; runs < 3; runs++) {
      expect(await ENDS.erasure?.(jobId)).toBe(false);
      vi.setSystemTime(Date.now() + 5 * MINUTE);
    }
    // Each call tries once: it adds no other effects.
    expect(await discord.requests()).toHaveLength(1 + 3);
    vi.setSystemTime(Date.now() + 24 * 60 * MINUTE);
    expect(await ENDS.erasure?.(jobId)).toBe(true);
    expect(await noted(jobId)).toMatchObject({ status: 500 });
  });

  it('stays after an expiry and after a new render', { tags: ['long'] }, async () => {
    const { discord, jobIds } = await posted(1);
    const [jobId = ''] = jobIds;
    await sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/resubmit`);
    await make(jobId);
    await bindings.RENDER_JOB.getByName(jobId).expireClip(Date.now() + 1);
    await fireAlarm(jobId);
    expect(await discord.shown()).toHaveLength(1);
    // The files are gone here, but a take-down still reaches the message.
    await ENDS['take-down']?.(jobId);
    await expect.poll(() => discord.shown()).toEqual([]);
  });

  it('is deleted if the clip was deleted while the message was sent', { tags: ['long'] }, async () => {
    const discord = await channel();
    const { jobIds, ruleId, runId } = await runOf(2, {});
    for (const id of jobIds) await make(id);
    const [kept = '', deleted = ''] = jobIds;
    await expect.poll(() => row('SELECT state FROM rule_runs WHERE id = ?', runId)).toEqual({ state: 'done' });
    await run('UPDATE rules SET send = ? WHERE id = ?', JSON.stringify({ discord_url: discord.url }), ruleId);
    await run('UPDATE rule_runs SET posted_by = NULL WHERE id = ?', runId);
    const { database, files, settings, log } = createService(bindings);
    const post = await prepareDiscord({ database, files, settings, log }, runId);
    await ENDS.deletion?.(deleted);
    await expect.poll(() => row('SELECT state FROM clips WHERE job_id = ?', deleted)).toEqual({ state: 'deleted' });
    // Its file is read when the form is sent: without it the first attempt fails.
    await bindings.CLIPS.put(`clips/${await clipIdOf(deleted)}/1/video.mp4`, standInMp4(40_000));
    expect(await post?.send()).toMatchObject({ status: 200 });
    expect(await discord.shown()).toMatchObject([{ embeds: [{ url: await pageOf(kept) }], files: [] }]);
  });

  it.each([
    { failures: 2, isNoted: false },
    { failures: 3, isNoted: true },
  ])('has an address that is stored at the third try, or the audit log says so ($failures)', async (given) => {
    const discord = await channel();
    const { jobIds, ruleId, runId } = await runOf(1, {});
    const [jobId = ''] = jobIds;
    await make(jobId);
    await expect.poll(() => row('SELECT state FROM rule_runs WHERE id = ?', runId)).toEqual({ state: 'done' });
    await run('UPDATE rules SET send = ? WHERE id = ?', JSON.stringify({ discord_url: discord.url }), ruleId);
    const { database, files, settings, log } = createService(bindings);
    const post = await prepareDiscord({ database, files, settings, log }, runId);
    const prepare = bindings.DB.prepare.bind(bindings.DB);
    let { failures } = given;
    const broken = vi.spyOn(bindings.DB, 'prepare').mockImplementation((query) => {
      if (query.includes('set "message"') && failures-- > 0) throw new Error('the database is away');
      return prepare(query);
    });
    expect(await post?.send()).toMatchObject({ status: 200 });
    broken.mockRestore();
    const changes = 'a message in Discord keeps deleted clips: the database is away';
    expect(await noted(jobId)).toEqual(given.isNoted ? { changes, status: null } : null);
    await ENDS.deletion?.(jobId);
    if (!given.isNoted) await expect.poll(() => discord.shown()).toEqual([]);
  });
});
