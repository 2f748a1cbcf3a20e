import { createExecutionContext, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Offer } from '#domain/host/fair-queue.ts';
import type { Capability } from '#domain/host/need.ts';
import type { Dispatcher } from '#durable-objects/dispatcher/dispatcher.ts';
import { ACCOUNTS, BEHIND, BEHIND_OF } from '#durable-objects/dispatcher/queue-statements.ts';
import type { QueueStorage } from '#durable-objects/dispatcher/queue-tables.ts';
import { createReadyQueue } from '#durable-objects/dispatcher/ready-queue.ts';
import { sendPurge } from '#durable-objects/purge-queue/send-purge.ts';
import { loadSettings } from '#platform/settings.ts';
import type { DispatcherStub } from '#rpc/bindings.ts';
import { type Bindings, createService } from '#service/lib/service.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { createApp } from '#src/worker.ts';
import { createClipMaker, jobIdOf } from '#test/support/accounts.ts';
import { freezeClock } from '#test/support/clock.ts';
import { evict, leaveMemory } from '#test/support/scenario.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, send, sendJson } from '#test/support/service.ts';
import { createInbox } from '#test/support/webhooks.ts';

describe('the dispatcher', () => {
  const ANY = { maxResolution: 1440, maxFps: 120 };
  const SMALL = { maxResolution: 1080, maxFps: 60 };

  let dispatcher: DispatcherStub;

  beforeEach(() => {
    dispatcher = bindings.DISPATCHER.getByName(crypto.randomUUID());
  });

  /** Returns the job that is suggested to a host with enough slots. */
  async function poll(pollId: string, capability = ANY, waitMs = 0, hostId = 'h') {
    const suggestion = await dispatcher.next({ pollId, hostId, slots: Number.POSITIVE_INFINITY, capability, waitMs });
    return suggestion === 'no_slot' || (suggestion && 'held' in suggestion) ? null : suggestion;
  }

  /** Offers a job named `ACCOUNT NUMBER`, such as `a1`. */
  async function offer(jobId: string, overrides: Partial<Offer> = {}): Promise<void> {
    const accountId = jobId.charAt(0);
    await dispatcher.offer({ jobId, accountId, tier: 'metered', resolution: 1080, fps: 30, slots: null, ...overrides });
  }

  async function takeAll(capability = ANY): Promise<string[]> {
    const taken: string[] = [];
    for (let jobId = await take(capability); jobId !== null; jobId = await take(capability)) taken.push(jobId);
    return taken;
  }

  /** Returns the next job of a host, which starts it. */
  async function take(capability = ANY): Promise<string | null> {
    const suggestion = await poll('poll', capability, 0);
    if (suggestion === null) return null;
    await dispatcher.started(suggestion.jobId, 'h');
    return suggestion.jobId;
  }

  describe('a host that a job avoids', () => {
    const next = async (capability: Capability, hostId: string) =>
      (await poll('poll', capability, 0, hostId))?.jobId ?? null;

    it('gets it nevertheless if there is no other, none that can do it, or none recently', async () => {
      const avoided = { avoidHost: 'h1', avoidMs: 3_600_000, resolution: 1440 };
      await offer('a1', avoided);
      expect(await next(SMALL, 'h2')).toBeNull();
      expect(await next(ANY, 'h1')).toBe('a1');
      expect(await next(ANY, 'h3')).toBeNull();
      await offer('a2', avoided);
      expect(await next(ANY, 'h1')).toBeNull();
      vi.setSystemTime(Date.now() + 600_001);
      expect(await next(ANY, 'h1')).not.toBeNull();
    });

    it('is kept for work that only it can do while a weaker one waits', async () => {
      const strong = poll('strong', ANY, 10_000, 'h1');
      const plain = poll('plain', SMALL, 10_000, 'h2');
      await offer('a1');
      expect((await plain)?.jobId).toBe('a1');
      await offer('a2', { resolution: 1440 });
      expect((await strong)?.jobId).toBe('a2');
    });
  });

  it('an account has half of the assigned jobs while others wait, however long they take', {
    tags: ['long'],
  }, async () => {
    for (const account of ['a', 'b']) for (let n = 0; n < 20; n++) await offer(account + n);
    const taken: (string | null)[] = [];
    for (let n = 0; n < 8; n++) taken.push(await take());
    expect(taken.join(' ')).toBe('a0 b0 a1 b1 a2 b2 a3 b3');
    await leaveMemory(dispatcher);
    for (let n = 0; n < 8; n++) {
      await dispatcher.settle(`b${n}`);
      expect(await take()).toBe(`b${n + 4}`);
    }
    await dispatcher.settle('a0');
    expect(await take()).toBe('a4');
  });

  describe('the question for a host that may have a job now', () => {
    it('reads each lease once, and forgets hosts that were not seen within a day', async () => {
      await poll('poll', ANY, 0, 'gone');
      vi.setSystemTime(Date.now() + 25 * 3_600_000);
      for (let n = 0; n < 20; n++) await dispatcher.started(`a${n}`, `h${n % 3}`);
      await runInDurableObject(dispatcher, (instance: Dispatcher, { storage }) => {
        const exec = vi.spyOn(storage.sql, 'exec');
        const need = { resolution: 2160, fps: 30, renderer: null, refusedBuilds: [] };
        expect(instance.hasHostFor(need, 600_000)).toBe(false);
        expect(exec).toHaveBeenCalledTimes(1);
        expect(exec.mock.results[0]?.value.rowsRead).toBeLessThanOrEqual(20);
        exec.mockRestore();
      });
      expect((await dispatcher.hostActivity(['gone'], 1, 0))[0]?.lastSeen).toBeNull();
    });
  });

  describe('a held poll', () => {
    it('gets no job after its host has disconnected', async () => {
      const left = poll('left', ANY, 10_000);
      await dispatcher.endPoll('left');
      expect(await left).toBeNull();
      await offer('a1');
      expect(await takeAll()).toEqual(['a1']);
    });
  });

  describe('a suggestion', () => {
    const next = async () => (await poll('poll', ANY, 0))?.jobId ?? null;

    it('that is not confirmed goes to the next waiting host, even if nothing else happens', async () => {
      await offer('a1');
      expect(await next()).toBe('a1');
      vi.setSystemTime(Date.now() + 9_999);
      const held = poll('held', ANY, 60_000);
      await runInDurableObject(dispatcher, () => {});
      vi.setSystemTime(Date.now() + 2);
      expect((await held)?.jobId).toBe('a1');
    });
  });

  describe('the cost of a claim', () => {
    /** Creates a queue, and a function that counts the rows that a call reads. */
    function countedQueue(storage: DurableObjectStorage) {
      let rows = 0;
      const sql = {
        exec: (query: string, ...values: unknown[]) => {
          const cursor = storage.sql.exec(query, ...values);
          const result = cursor.toArray();
          rows += cursor.rowsRead;
          return { toArray: () => result, one: () => result[0] };
        },
      };
      const counted = { sql, transactionSync: (work: () => unknown) => storage.transactionSync(work) };
      const queue = createReadyQueue(
        counted as unknown as QueueStorage,
        () => 0,
        () => true,
      );
      const rowsOf = (work: () => void) => {
        const before = rows;
        work();
        return rows - before;
      };
      return { queue, rowsOf };
    }

    /** Counts the rows for reading the next job of a host behind so many that it cannot do, and for queueing one more. */
    async function rowsBehind(
      beyond: number,
    ): Promise<Record<'next' | 'kept' | 'add' | 'count' | 'find' | 'needs', number>> {
      return runInDurableObject(bindings.DISPATCHER.getByName(crypto.randomUUID()), (_, { storage }) => {
        const { queue, rowsOf: countOf } = countedQueue(storage);
        const add = (n: number, fps: number) =>
          queue.add({ jobId: `j${n}`, accountId: `a${n % 7}`, tier: 'metered', resolution: 1080, fps, slots: null });
        storage.transactionSync(() => {
          for (let n = 0; n < beyond; n++) add(n, 120);
          add(beyond, 60);
        });
        // The host's recently suggested jobs are not read again either.
        for (let n = 1; n <= beyond / 2; n++) queue.next(ANY, 'h');
        queue.next(ANY, 'h');
        // Counted once when the object comes into memory.
        queue.backlogs();
        return {
          next: countOf(() => expect(queue.next(SMALL, 'h')).toBe(`j${beyond}`)),
          // The host has demos, but none of a waiting job.
          kept: countOf(() => expect(queue.next(ANY, 'h', ['k1', 'k2'])).not.toBeNull()),
          add: countOf(() => add(beyond + 1, 60)),
          find: countOf(() => expect(queue.find([`j${beyond + 1}`])).toMatchObject([{ need: { fps: 60 } }])),
          needs: countOf(() =>
            expect(queue.needBacklogs()).toMatchObject([{ waiting: beyond }, { need: { fps: 60 } }]),
          ),
          count: countOf(() => expect(queue.backlogs()).toMatchObject([{}, { waiting: beyond + 2, oldestAt: 0 }])),
        };
      });
    }

    it('does not grow with the queue, with what the host cannot do, nor with what is suggested to others', {
      tags: ['long'],
    }, async () => {
      expect(await rowsBehind(2000)).toEqual(await rowsBehind(20));
    });

    it('does not grow with the queue of an account that has its share', async () => {
      const rowsPast = (waiting: number) =>
        runInDurableObject(bindings.DISPATCHER.getByName(crypto.randomUUID()), (_, { storage }) => {
          const { queue, rowsOf } = countedQueue(storage);
          const add = (jobId: string) =>
            queue.add({ jobId, accountId: jobId.charAt(0), tier: 'metered', resolution: 1080, fps: 30, slots: null });
          return storage.transactionSync(() => {
            for (let n = 0; n < waiting; n++) add(`a${n}`);
            for (const jobId of ['a0', 'a1']) queue.start(jobId, 'h');
            for (let n = 0; n < 5; n++) add(`b${n}`);
            // Whether others wait is read once for all jobs of a list.
            const [one, all] = [['a2'], ['a2', 'a3', 'a4']].map((ids) =>
              rowsOf(() => expect(queue.find(ids)[0]).toMatchObject({ isShareUsed: true })),
            );
            expect(Number(all) - Number(one)).toBe(2);
            // The clock of the lane advances with them, so later jobs come after more and more skipped ones.
            for (let n = 0; n < 4; n++) {
              expect(queue.next(ANY, 'h')).toBe(`b${n}`);
              queue.start(`b${n}`, 'h');
              queue.settle(`b${n}`);
            }
            return rowsOf(() => expect(queue.next(ANY, 'h')).toBe('b4'));
          });
        });
      expect(await rowsPast(2000)).toBe(await rowsPast(20));
    });

    it('is that of an index that is read from one place: no scan, no sort', async () => {
      await offer('a1');
      const planOf = (query: string, ...bound: readonly unknown[]) =>
        runInDurableObject(dispatcher, (_, { storage }) =>
          storage.sql
            .exec<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`, ...bound)
            .toArray()
            .map(({ detail }) => detail),
        );
      expect(await planOf(BEHIND, 1, 0, 0, 0, 1)).toEqual([
        'SEARCH ready USING PRIMARY KEY (need=? AND lane=? AND (vt,seq)>(?,?))',
      ]);
      expect(await planOf(BEHIND_OF, 1, 0, 'a', 0, 0)).toEqual([
        'SEARCH ready USING INDEX ready_account (need=? AND lane=? AND account_id=? AND (vt,seq)>(?,?))',
      ]);
      const searches = (await planOf(ACCOUNTS, 1, 0)).filter((step) => / ready /.test(step));
      expect(searches).toEqual([
        ...Array(2).fill('SEARCH ready USING COVERING INDEX ready_account (need=? AND lane=? AND account_id>?)'),
        'SEARCH ready USING COVERING INDEX ready_account (need=? AND lane=? AND account_id=?)',
      ]);
    });
  });

  describe('the builds that hosts report', () => {
    const needs = () =>
      runInDurableObject(dispatcher, (_, { storage }) => storage.sql.exec('SELECT COUNT(*) AS n FROM needs').one().n);

    it('make no more different needs than a claim can check, and every job is found', { tags: ['long'] }, async () => {
      for (let i = 0; i < 100; i++) await offer(`a${i}`, { renderer: 'cs2', refusedBuilds: [`${i}`] });
      expect(await needs()).toBeLessThanOrEqual(65);
      expect(await takeAll({ ...ANY, renderer: 'cs2', gameBuild: 'new' } as typeof ANY)).toHaveLength(100);
    });
  });

  describe('the slots of a host', () => {
    const HOST = { hostId: 'host', slots: 2 };
    const OTHER = { hostId: 'other', slots: 2 };
    const ask = (host = HOST, waitMs = 0) =>
      dispatcher.next({ pollId: crypto.randomUUID(), capability: ANY, waitMs, ...host });
    const jobOf = (suggestion: Awaited<ReturnType<typeof ask>>) =>
      suggestion === null || suggestion === 'no_slot' ? suggestion : 'held' in suggestion ? null : suggestion.jobId;

    it('hold suggested and running jobs only, however often it polls', async () => {
      for (const id of ['a1', 'a2', 'a3', 'a4', 'a5']) await offer(id);
      const asked = await Promise.all(Array.from({ length: 40 }, () => ask().then(jobOf)));
      expect(asked.filter((job) => job !== 'no_slot')).toEqual(['a1', 'a2']);
      await dispatcher.started('a1', HOST.hostId);
      await dispatcher.started('a2', HOST.hostId);
      expect(jobOf(await ask())).toBe('no_slot');
      expect(jobOf(await ask(OTHER))).toBe('a3');
      await dispatcher.settle('a1');
      expect(jobOf(await ask())).toBe('a4');
      expect(jobOf(await ask())).toBe('no_slot');
    });

    it('are remembered by an object that left memory', async () => {
      for (const id of ['a1', 'a2', 'a3']) await offer(id);
      for (const id of ['a1', 'a2']) {
        expect(jobOf(await ask())).toBe(id);
        await dispatcher.started(id, HOST.hostId);
      }
      await leaveMemory(dispatcher);
      expect(jobOf(await ask())).toBe('no_slot');
    });

    it('let a poll that it holds be served when a slot is free', async () => {
      for (const id of ['a1', 'a2']) await offer(id);
      for (const id of ['a1', 'a2']) expect(jobOf(await ask())).toBe(id);
      await dispatcher.started('a1', HOST.hostId);
      await dispatcher.settle('a1');
      const held = ask(HOST, 20_000);
      const late = ask(HOST, 20_000);
      await offer('b1');
      expect(jobOf(await held)).toBe('b1');
      await offer('b2');
      await dispatcher.started('b1', HOST.hostId);
      await dispatcher.settle('b1');
      expect(jobOf(await late)).toBe('b2');
    });
  });
});

describe('the purge queue', () => {
  const DAY = 24 * 60 * 60_000;
  const ZONE = {
    MEDIA_BASE_URL: 'https://media.example.com',
    PURGE_ZONE_ID: '0123456789abcdef0123456789abcdef',
    PURGE_TOKEN: 'a-token',
  };
  const variables = bindings as unknown as Record<string, string | undefined>;
  const queue = () => createService(bindings).purges();

  const metrics = async () => {
    const app = createApp(createService(bindings));
    const headers = { Authorization: 'Bearer a-token-for-scraping' };
    return (await app(new Request(`${BASE_URL}/metrics`, { headers }), createExecutionContext())).text();
  };

  beforeAll(async () => {
    // The isolate of the other tests has no zone.
    await send('/');
    Object.assign(variables, ZONE);
  });
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

    it('sends the addresses of clips and files together, with the token, and waits as the zone says', {
      tags: ['long'],
    }, async () => {
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
      expect(await metrics()).toContain('tickreel_purges_waiting 1');
      expect(await alarmAt()).not.toBeNull();
    });

    it('writes one row for a purge, and one when it is sent', async () => {
      const { added, removed } = await runInDurableObject(queue(), (_, { storage }) => ({
        added: storage.sql.exec("INSERT INTO purges VALUES (1, 1, 'clips/a/1/')").rowsWritten,
        removed: storage.sql.exec('DELETE FROM purges WHERE urgency = 1 AND at = 1').rowsWritten,
      }));
      expect([added, removed]).toEqual([1, 1]);
    });

    it('has a hundred addresses in a request at most, and sends the next full one at once', {
      tags: ['long'],
    }, async () => {
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
      expect(JSON.parse(request?.body ?? '')).toEqual({
        prefixes: ['tickreel.test/clips/a', 'tickreel.test/replays/a'],
      });
    });

    it('is not made without a zone', async () => {
      const api = createInbox();
      const settings = { ...loadSettings(bindings), purge: null };
      const refusal = await sendPurge(settings, ['clips/a/3/'], `${api.url}&path=`);
      expect(refusal).toMatchObject({ waitMs: 60_000 });
      expect(await api.received()).toEqual([]);
    });
  });
});
