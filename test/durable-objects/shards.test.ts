import { createExecutionContext, runInDurableObject, waitOnExecutionContext } from 'cloudflare:test';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { candidatesOf, shardOfHost } from '#domain/shards.ts';
import type { Grant } from '#protocol/gateway.ts';
import { dispatcherOf } from '#service/dispatchers.ts';
import { createService } from '#service/service.ts';
import { createApp } from '#src/worker.ts';
import { evict, fireAlarm, leaveMemory, ringEvicted, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, createHost, readJob, sendJson, submit } from '../support/service.ts';
import { TestHost } from '../support/test-host.ts';

// A deploy here evicts dozens of objects.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const MOST = 5;
const SLOTS = 40;
const scene = useScenario();
const variables = bindings as unknown as Record<string, string>;
const at = (shard: number) => dispatcherOf(bindings.DISPATCHER, shard);
let jobs: string[] = [];
let app: ReturnType<typeof createApp>;

/** Creates the service with so many dispatchers, after a deploy: all objects are evicted. */
async function deploy(shards: number, slots = SLOTS): Promise<void> {
  Object.assign(variables, { DISPATCHERS: String(shards), HOST_SLOTS: String(slots) });
  for (const jobId of jobs) await evict(jobId);
  for (let shard = 0; shard < MOST; shard++) await leaveMemory(at(shard));
  app = createApp(createService(bindings));
}

const hostOf = (token: string) =>
  new TestHost(token, async (path, init) => {
    const context = createExecutionContext();
    const response = await app(new Request(BASE_URL + path, init), context);
    await waitOnExecutionContext(context);
    return response;
  });

/** Returns the next job of a host, which starts it. */
async function take(token: string, waitS = 20): Promise<Grant | number> {
  // Advances the clock between two polls.
  vi.setSystemTime(Date.now() + 700);
  const response = await hostOf(token).ask({}, waitS);
  if (response.status !== 200) return response.status;
  const grant = await response.json<Grant>();
  await beat(token, grant);
  return grant;
}

const granted = async (token: string) => {
  const grant = await take(token);
  if (typeof grant === 'number') throw new Error(`the claim answered ${grant}`);
  return grant;
};

const beat = (token: string, grant: Grant) => hostOf(token).render(grant);
const end = (token: string, grant: Grant, kind = 'fail') =>
  kind === 'fail' ? hostOf(token).fail(grant, 'no_kills_found') : hostOf(token).release(grant);

/** Returns the rows of a table of each dispatcher, after the effects of all jobs. */
async function rows(table: 'ready' | 'running' | 'leases', where = 'TRUE'): Promise<string[][]> {
  for (const jobId of jobs) await fireAlarm(jobId);
  const found: string[][] = [];
  for (let shard = 0; shard < MOST; shard++) {
    found.push(
      await runInDurableObject(at(shard), (_, { storage }) =>
        storage.sql
          .exec<{ job_id: string }>(`SELECT job_id FROM ${table} WHERE ${where}`)
          .toArray()
          .map(({ job_id }) => job_id)
          .sort(),
      ),
    );
  }
  return found;
}

async function submitted(key: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const jobId = await submit(key);
    ids.push(jobId);
    jobs.push(jobId);
    // Waits until it has offered itself, before the next one does.
    await fireAlarm(jobId);
  }
  return ids;
}

/** Creates a host that polls this dispatcher, or any other. */
async function hostAt(shards: number, isHome: (shard: number) => boolean): Promise<{ id: string; token: string }> {
  for (;;) {
    const token = await createHost();
    const listed = await sendJson(ADMIN_TOKEN, 'GET', '/admin/hosts');
    const { hosts } = await listed.json<{ hosts: { host_id: string; created_at: string }[] }>();
    const id = hosts.map(({ host_id }) => host_id).find((host) => !known.has(host)) ?? '';
    for (const { host_id } of hosts) known.add(host_id);
    if (isHome(shardOfHost(id, shards))) return { id, token };
  }
}
const known = new Set<string>();

const where = (accountId: string) => candidatesOf({ id: '', accountId, priority: true }, 4)[0] ?? -1;

beforeEach(async () => {
  jobs = [];
  // Removes jobs that another test left.
  for (let shard = 0; shard < MOST; shard++) {
    await runInDurableObject(at(shard), (_, { storage }) => {
      for (const table of ['ready', 'running', 'leases']) storage.sql.exec(`DELETE FROM ${table}`);
    });
  }
  await hostAt(1, () => true);
  await deploy(4);
});

describe('four dispatchers', () => {
  it('give one host all their jobs, each once, wherever they wait, and its own dispatcher counts them', async () => {
    const { id, token } = await hostAt(4, () => true);
    const ids = await submitted(scene.account.metered, 10);
    const waiting = await rows('ready');
    expect(waiting.filter((shard) => shard.length > 0).length).toBeGreaterThan(1);
    for (const [shard, there] of waiting.entries()) {
      for (const jobId of there) {
        expect(candidatesOf({ id: jobId, accountId: '', priority: false }, 4)).toContain(shard);
      }
    }
    const grants: Grant[] = [];
    for (const _ of ids) grants.push(await granted(token));
    expect(grants.map(({ job_id }) => job_id).toSorted()).toEqual(ids.toSorted());
    expect((await rows('ready')).flat()).toEqual([]);
    const leases = await rows('leases');
    expect(leases[shardOfHost(id, 4)]).toHaveLength(10);
    // The dispatchers that queued them count them towards the share of their account.
    expect(leases.map((there) => there.toSorted())).toEqual(
      waiting.map((there, shard) => (shard === shardOfHost(id, 4) ? ids : there).toSorted()),
    );
    for (const grant of grants) await end(token, grant);
    expect((await rows('leases')).flat()).toEqual([]);
  });

  it('give a host no more jobs than it may have, wherever they wait', async () => {
    await deploy(4, 3);
    const { token } = await hostAt(4, () => true);
    await submitted(scene.account.metered, 8);
    const grants = [await granted(token), await granted(token), await granted(token)];
    expect(await take(token)).toBe(429);
    await deploy(4, 3);
    expect(await take(token)).toBe(429);
    await end(token, grants[0] as Grant);
    grants.push(await granted(token));
    expect(new Set(grants.map(({ job_id }) => job_id)).size).toBe(4);
    expect(await take(token)).toBe(429);
  });

  it('keep the reserved jobs of an account in one, and its slots exact when hosts of others take them', async () => {
    const { id: accountId, reserved } = scene.account;
    const slots = { provisioned_slots: 2 };
    expect((await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${accountId}`, slots)).status).toBe(200);
    const shard = where(accountId);
    const ids = await submitted(reserved, 5);
    expect((await rows('ready', 'lane = 0'))[shard]).toEqual(ids.slice(0, 2).toSorted());
    expect((await rows('ready'))[shard]).toEqual(ids.toSorted());
    const { token } = await hostAt(4, (own) => own !== shard);
    const first = await granted(token);
    const second = await granted(token);
    expect([first.job_id, second.job_id]).toEqual(ids.slice(0, 2));
    expect((await rows('running'))[shard]).toEqual(ids.slice(0, 2).toSorted());
    // A job's reason counts the hosts of all dispatchers.
    vi.setSystemTime(Date.now() + 2000);
    const third = await sendJson(ADMIN_TOKEN, 'GET', `/admin/jobs/${ids[2]}`);
    expect(await third.json()).toMatchObject({
      queue: { reason: 'slots_in_use', position: 1, hosts: 1, text: expect.stringMatching(/^2 provisioned slots /) },
    });
    // The third one has no slot until one of the two has ended.
    expect((await rows('ready', 'lane = 0')).flat()).toEqual([]);
    await end(token, first);
    expect((await rows('ready', 'lane = 0'))[shard]).toEqual([ids[2]]);
    expect((await rows('running')).flat()).toEqual([second.job_id]);
  });

  it('put a covered job of another before best effort of its own', async () => {
    const shard = where(scene.account.id);
    const { id, token } = await hostAt(4, (own) => own !== shard);
    const own = shardOfHost(id, 4);
    for (let n = 0; n < 20; n++) {
      const offer = { jobId: `own ${n}`, accountId: 'another', resolution: 720, fps: 30, slots: null } as const;
      await at(own).offer({ ...offer, tier: 'metered' });
    }
    const [covered] = await submitted(scene.account.reserved, 1);
    // Within one round every other dispatcher is asked. The jobs that it does not return then stay with it.
    const asked: string[] = [];
    for (let n = 0; n < 4; n++) {
      const grant = await take(token, 0);
      if (typeof grant !== 'number') asked.push(grant.job_id);
    }
    expect(asked).toEqual([covered]);
  });

  it('take a job back, whichever dispatcher its host polls, and offer it again', async () => {
    const { token } = await hostAt(4, () => true);
    const ids = await submitted(scene.account.metered, 4);
    const grants: Grant[] = [];
    for (const _ of ids) grants.push(await granted(token));
    for (const grant of grants) await end(token, grant, 'release');
    expect((await rows('leases')).flat()).toEqual([]);
    expect((await rows('ready')).flat().toSorted()).toEqual(ids.toSorted());
  });
});

describe('a ghost', () => {
  it('of a job that another dispatcher has assigned is suggested once, then dropped', async () => {
    const { id, token } = await hostAt(4, () => true);
    const [jobId = ''] = await submitted(scene.account.metered, 1);
    const grant = await granted(token);
    expect(grant.job_id).toBe(jobId);
    const ghost = [0, 1, 2, 3].find(
      (shard) => shard !== shardOfHost(id, 4) && !candidatesOf(job(jobId), 4).includes(shard),
    );
    const offer = { jobId, accountId: 'a', tier: 'metered', resolution: 1080, fps: 30, slots: null } as const;
    await at(ghost ?? -1).offer(offer);
    expect((await rows('ready')).flat()).toEqual([jobId]);
    const other = await hostAt(4, (own) => own === ghost);
    expect(await take(other.token, 1)).toBe(204);
    expect((await rows('ready')).flat()).toEqual([]);
    await end(token, grant);
    expect(await readJob(scene.account.metered, jobId)).toMatchObject({
      status: 'error',
      error_code: 'no_kills_found',
    });
  });
});

const job = (id: string) => ({ id, accountId: '', priority: false });

describe('another number of dispatchers', () => {
  it('loses nothing, does nothing twice, and leaves nothing behind: from 4 to 1, and to 3', async () => {
    const { token } = scene.host;
    const ids = [...(await submitted(scene.account.metered, 8)), ...(await submitted(scene.account.reserved, 4))];
    const working: Grant[] = [];
    const did: string[] = [];
    const takeSome = async (count: number) => {
      for (let n = 0; n < count; n++) working.push(await granted(token));
    };
    const finishSome = async (count: number) => {
      for (const grant of working.splice(0, count)) {
        did.push(grant.job_id);
        await end(token, grant);
      }
    };
    const pass = async (ms: number) => {
      for (let gone = 0; gone < ms; gone += 20_000) {
        vi.setSystemTime(Date.now() + 20_000);
        for (const grant of working) await beat(token, grant);
      }
    };
    /** Advances the clock until each waiting job has offered itself again, with its object evicted first. */
    const offerAgain = async (ms: number) => {
      await pass(ms);
      for (const jobId of ids) {
        await evict(jobId);
        await fireAlarm(jobId);
      }
    };
    await takeSome(4);
    // Within a minute each object has stored where its job waits (decision 001).
    await pass(60_000);
    for (const jobId of ids) await fireAlarm(jobId);
    await deploy(1);
    await offerAgain(140_000);
    expect((await rows('ready')).slice(1).flat()).toEqual([]);
    await takeSome(2);
    await finishSome(3);
    await deploy(3);
    await offerAgain(260_000);
    expect((await rows('ready')).flat()).toHaveLength(6);
    expect(working.filter(({ lease }) => lease.fence !== 1)).toEqual([]);
    await finishSome(2);
    await takeSome(6);
    await finishSome(7);
    expect(did.toSorted()).toEqual(ids.toSorted());
    for (const table of ['ready', 'running', 'leases'] as const) expect((await rows(table)).flat()).toEqual([]);
    expect(await take(token, 0)).toBe(204);
  });

  it('shows a host that was lost as it is at the dispatcher that it polls now, and ends the alert when it is resumed', async () => {
    await deploy(1);
    const { id, token } = await hostAt(3, (own) => own !== 0);
    const [jobId = ''] = await submitted(scene.account.metered, 1);
    await granted(token);
    await ringEvicted(jobId, Date.now() + 60_000);
    const answer = async (method: string, path: string, body?: object) => {
      const headers = { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' };
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      return (await app(new Request(BASE_URL + path, init), createExecutionContext())).json<Record<string, unknown>>();
    };
    const lost = async () => Object((await answer('GET', '/admin/overview')).hosts).lost;
    await expect.poll(lost).toBe(1);
    await deploy(3);
    expect(await take(token, 0)).not.toBe(401);
    expect((await answer('GET', `/admin/hosts/${id}`)).state).not.toBe('lost');
    await answer('PATCH', `/admin/hosts/${id}`, { set_aside: false });
    expect(await lost()).toBeUndefined();
  });

  it('keeps an account suspended or resumed by a change made with fewer dispatchers', async () => {
    const { account, host } = scene;
    const suspend = async (suspended: boolean) => {
      const headers = { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' };
      const body = JSON.stringify({ suspended });
      const request = new Request(`${BASE_URL}/admin/accounts/${account.id}`, { method: 'PATCH', headers, body });
      expect((await app(request, createExecutionContext())).status).toBe(200);
    };
    const suspendAndDeploy = async (suspended: boolean, shards: number) => {
      await deploy(1);
      await suspend(suspended);
      await deploy(shards);
      // A job that has waited this long is offered again, to a present candidate.
      vi.setSystemTime(Date.now() + 20 * 60_000);
      for (const jobId of jobs) await fireAlarm(jobId);
    };
    const mayLieInFirst = (id = '') => candidatesOf({ id, accountId: '', priority: false }, 4).includes(0);
    do await submitted(account.metered, 1);
    while (mayLieInFirst(jobs.at(-1)));
    await suspendAndDeploy(true, 4);
    expect((await rows('ready')).slice(1).flat()).not.toEqual([]);
    expect(await take(host.token, 0)).toBe(204);
    await suspendAndDeploy(false, 4);
    for (const _ of jobs) await end(host.token, await granted(host.token));
    expect((await rows('ready')).flat()).toEqual([]);
  });
});
