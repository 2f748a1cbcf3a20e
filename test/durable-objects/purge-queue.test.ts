import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { sendPurge } from '#durable-objects/purge-queue/send-purge.ts';
import { loadSettings } from '#platform/settings.ts';
import { type Bindings, createService } from '#service/lib/service.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { createClipMaker, jobIdOf } from '../support/accounts.ts';
import { freezeClock } from '../support/clock.ts';
import { evict, leaveMemory } from '../support/scenario.ts';
import { ADMIN_TOKEN, bindings, send, sendJson } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const DAY = 24 * 60 * 60_000;
const ZONE = {
  MEDIA_BASE_URL: 'https://media.example.com',
  PURGE_ZONE_ID: '0123456789abcdef0123456789abcdef',
  PURGE_TOKEN: 'a-token',
};
const variables = bindings as unknown as Record<string, string | undefined>;
const queue = () => createService(bindings).purges();

beforeAll(() => void Object.assign(variables, ZONE));
afterAll(() => {
  for (const name of Object.keys(ZONE)) delete variables[name];
});
beforeEach(freezeClock);
afterEach(() => vi.restoreAllMocks());

const rows = () =>
  runInDurableObject(queue(), (_, { storage }) =>
    storage.sql.exec<{ urgency: number; prefix: string }>('SELECT urgency, prefix FROM purges').toArray(),
  );
/** Returns the purges of a clip. */
const purgesOf = async (clipId: string) => (await rows()).filter(({ prefix }) => prefix.includes(clipId));
const alarmAt = () => runInDurableObject(queue(), (_, { storage }) => storage.getAlarm());

/** Replaces Cloudflare's API by the receiver of the tests. */
function createApi(answers?: string) {
  const inbox = createInbox(answers);
  const real = fetch;
  vi.spyOn(globalThis, 'fetch').mockImplementation((url, init) =>
    real(String(url).startsWith('https://api.cloudflare.com/') ? inbox.url : url, init),
  );
  return inbox;
}

describe('a purge', () => {
  it('follows a deletion and an overwrite, and is stored before the job forgets it; an expiry has none', {
    tags: ['long'],
  }, async () => {
    const maker = await createClipMaker();
    const [deleted, remade, expired] = [await maker.make(), await maker.make(), await maker.make()];
    await maker.remove(deleted);
    await evict(await jobIdOf(deleted));
    expect(await purgesOf(deleted)).toEqual([{ urgency: 2, prefix: `clips/${deleted}/1/` }]);
    await maker.remake(remade, {});
    await runDurableObjectAlarm(bindings.RENDER_JOB.getByName(await jobIdOf(remade)));
    expect(await purgesOf(remade)).toEqual([{ urgency: 3, prefix: `clips/${remade}/1/` }]);
    const waiting = await queue().waiting();
    vi.setSystemTime(Date.now() + 31 * DAY);
    expect((await runUpkeep(createService(bindings), Date.now())).expired).toBeGreaterThan(0);
    await runDurableObjectAlarm(bindings.RENDER_JOB.getByName(await jobIdOf(expired)));
    expect((await bindings.CLIPS.list({ prefix: `clips/${expired}/` })).objects).toEqual([]);
    expect(await queue().waiting()).toBe(waiting);
  });

  it('of an erased account goes first', async () => {
    const maker = await createClipMaker();
    const id = await maker.make();
    const jobId = await jobIdOf(id);
    const { account_id } = await (await sendJson(ADMIN_TOKEN, 'GET', `/admin/jobs/${jobId}`)).json<{
      account_id: string;
    }>();
    const row = { id: jobId, accountId: account_id, clipId: id };
    expect(await bindings.RENDER_JOB.getByName(jobId).erase(row)).toBe(true);
    expect(await purgesOf(id)).toEqual([{ urgency: 1, prefix: `clips/${id}/` }]);
  });

  it('keeps the deletion in the job while the queue does not answer', async () => {
    const maker = await createClipMaker();
    const id = await maker.make();
    const jobId = await jobIdOf(id);
    const job = bindings.RENDER_JOB.getByName(jobId);
    await runInDurableObject(job, (instance) => {
      const add = () => Promise.reject(new Error('it was reset'));
      const env = { ...bindings, PURGE_QUEUE: { getByName: () => ({ add }) } };
      Object.defineProperty(instance, 'env', { value: env, configurable: true });
    });
    expect((await maker.remove(id)).status).toBe(204);
    expect((await send(`/clips/${id}/video.mp4`)).status).toBe(410);
    expect(await purgesOf(id)).toEqual([]);
    await evict(jobId);
    vi.setSystemTime(Date.now() + 60_000);
    await runDurableObjectAlarm(job);
    expect(await purgesOf(id)).toHaveLength(1);
  });

  it('is not stored without a zone', async () => {
    delete variables.PURGE_TOKEN;
    delete variables.PURGE_ZONE_ID;
    const maker = await createClipMaker();
    const id = await maker.make();
    await maker.remove(id);
    await evict(await jobIdOf(id));
    expect(await purgesOf(id)).toEqual([]);
    Object.assign(variables, ZONE);
  });
});

describe('the queue', () => {
  beforeEach(() => runInDurableObject(queue(), (_, { storage }) => void storage.sql.exec('DELETE FROM purges')));

  it('sends the addresses of clips and files together, with the token, and waits as the zone says', async () => {
    const api = createApi('429:77,200');
    await leaveMemory(queue());
    await queue().add({ prefix: 'clips/a/3/', reason: 'deletion' });
    await queue().add({ prefix: 'clips/b/', reason: 'erasure' });
    await runDurableObjectAlarm(queue());
    expect(await alarmAt()).toBe(Date.now() + 77_000);
    await queue().add({ prefix: 'clips/a/2/', reason: 'overwrite' });
    await leaveMemory(queue());
    expect(await alarmAt()).toBe(Date.now() + 77_000);
    await runDurableObjectAlarm(queue());
    expect([await rows(), await alarmAt()]).toEqual([[], null]);
    const [refused, sent] = await api.received();
    expect(refused?.headers.authorization).toBe('Bearer a-token');
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      prefixes: [
        ...['tickreel.test/clips/b', 'tickreel.test/replays/b', 'media.example.com/clips/b'],
        ...['tickreel.test/clips/a', 'tickreel.test/replays/a'],
        ...['media.example.com/clips/a/3', 'media.example.com/clips/a/2'],
      ],
    });
  });

  it('tries again after a minute if the zone fails; the metrics count it, and mend a lost alarm', async () => {
    createApi('500');
    await queue().add({ prefix: 'clips/a/3/', reason: 'deletion' });
    await runDurableObjectAlarm(queue());
    expect(await alarmAt()).toBe(Date.now() + 60_000);
    expect(await queue().waiting()).toBe(1);
    await runInDurableObject(queue(), (_, { storage }) => storage.deleteAlarm());
    const metrics = await sendJson('a-token-for-scraping', 'GET', '/metrics');
    expect(await metrics.text()).toContain('tickreel_purges_waiting 1');
    expect(await alarmAt()).not.toBeNull();
  });

  it('writes one row for a purge, and one when it is sent', async () => {
    const { added, removed } = await runInDurableObject(queue(), (_, { storage }) => ({
      added: storage.sql.exec("INSERT INTO purges VALUES (1, 1, 'clips/a/1/')").rowsWritten,
      removed: storage.sql.exec('DELETE FROM purges WHERE urgency = 1 AND at = 1').rowsWritten,
    }));
    expect([added, removed]).toEqual([1, 1]);
  });

  it('has a hundred addresses in a request at most, and sends the next full one at once', async () => {
    const api = createApi();
    for (let i = 0; i < 80; i++) await queue().add({ prefix: `clips/${i}/1/`, reason: 'deletion' });
    for (const wait of [0, 0, null]) {
      await runDurableObjectAlarm(queue());
      expect(await alarmAt()).toBe(wait === null ? null : Date.now());
    }
    const counts = (await api.received()).map(({ body }) => JSON.parse(body).prefixes.length);
    expect(counts).toEqual([99, 99, 42]);
  });
});

describe('a request to the zone', () => {
  it('has only the addresses of clip and replay if there is no media host', async () => {
    const api = createInbox();
    const settings = loadSettings({ ...(bindings as Bindings), ...ZONE, MEDIA_BASE_URL: undefined });
    expect(await sendPurge(settings, ['clips/a/3/'], `${api.url}&path=`)).toBeNull();
    const [request] = await api.received();
    expect(JSON.parse(request?.body ?? '')).toEqual({ prefixes: ['tickreel.test/clips/a', 'tickreel.test/replays/a'] });
  });

  it('is not made without a zone', async () => {
    const api = createInbox();
    const settings = { ...loadSettings(bindings), purge: null };
    const refusal = await sendPurge(settings, ['clips/a/3/'], `${api.url}&path=`);
    expect(refusal).toMatchObject({ waitMs: 60_000 });
    expect(await api.received()).toEqual([]);
  });
});
