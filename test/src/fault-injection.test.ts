import { describe, expect, it, vi } from 'vitest';
import type { Grant } from '#protocol/host/gateway.ts';
import { createService, dispatcherOf } from '#service/lib/service.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { createApp } from '#src/worker.ts';
import { clipIdOf, createAccount } from '../support/accounts.ts';
import { createFaultyService, resetByDeploy, resetObject, SAYS } from '../support/faulty-service.ts';
import { fireAlarm, pass, useScenario } from '../support/scenario.ts';
import { BASE_URL, bindings, readJob, submit } from '../support/service.ts';
import { TestHost } from '../support/test-host.ts';

const scene = useScenario();

/** Ends a job, so that no other test gets it from the queue. */
const end = async (grant: Grant) => scene.host.report(grant, 'fail', { code: 'demo_404', detail: '' });

const claim = (faulty: ReturnType<typeof createFaultyService>) => faulty.host(scene.host.token).ask();

/** Creates a queued job. */
async function offered(): Promise<string> {
  const jobId = await submit(scene.account.metered);
  await fireAlarm(jobId);
  return jobId;
}

describe('a deploy', () => {
  it('that resets a job between its suggestion and its lease costs nothing: the next call reaches the new object', async () => {
    const jobId = await offered();
    const faulty = createFaultyService();
    faulty.fail('RENDER_JOB.claim', resetByDeploy);
    const grant = await (await claim(faulty)).json<Grant>();
    expect(grant).toMatchObject({ job_id: jobId, lease: { fence: 1 } });
    await end(grant);
  });

  it('that loses the answer to a lease costs the job seconds, but no attempt and no position', async () => {
    const jobId = await offered();
    const faulty = createFaultyService();
    faulty.fail('RENDER_JOB.claim', resetByDeploy, { when: 'after' });
    expect((await claim(faulty)).status).toBe(204);
    await pass(11_000, jobId);
    const grant = await (await claim(faulty)).json<Grant>();
    expect(grant).toMatchObject({ job_id: jobId, lease: { fence: 2 } });
    expect(await readJob(scene.account.metered, jobId)).toMatchObject({ status: 'prefetch' });
    await end(grant);
  });

  it('that takes longer keeps the position of the job: it is suggested again within ten seconds', async () => {
    const jobId = await offered();
    const faulty = createFaultyService();
    faulty.fail('RENDER_JOB.claim', resetByDeploy, { times: 2 });
    expect((await claim(faulty)).status).toBe(204);
    vi.setSystemTime(Date.now() + 10_001);
    const grant = await (await claim(faulty)).json<Grant>();
    expect(grant.job_id).toBe(jobId);
    await end(grant);
  });

  it('answers a client with `Retry-After` of a second', async () => {
    const jobId = await offered();
    const faulty = createFaultyService();
    faulty.fail('RENDER_JOB.read', resetByDeploy);
    const response = await faulty.send(scene.account.metered, 'GET', `/api/jobs/${jobId}`);
    expect(`${response.status} ${response.headers.get('Retry-After')}`).toBe('503 1');
  });

  it('really cuts a held claim: the host gets 503, and nothing is lost', async () => {
    const held = scene.host.ask({ max_fps: 5 }, 20);
    const other = scene.host.ask({ max_fps: 5 }, 20);
    // Both are held once the same object has answered a third claim, which does not wait.
    await scene.host.ask({ max_fps: 5 });
    await resetObject(dispatcherOf(bindings.DISPATCHER));
    for (const response of await Promise.all([held, other])) {
      expect(`${response.status} ${response.headers.get('Retry-After')}`).toBe('503 1');
      await response.body?.cancel();
    }
  });
});

const PART = new Uint8Array([1, 2, 3]);
/** Returns the steps of an upload over faulty bindings. */
async function upload() {
  const faulty = createFaultyService();
  const grant: Grant = await scene.host.claimJob(await submit(scene.account.metered));
  const host = faulty.host(scene.host.token);
  const begin = () => host.report(grant, 'uploads', { file: 'video' });
  const upload_id = await host.beginUpload(grant, 'video');
  const part = () => host.part(grant, 'video', upload_id, PART);
  const end = (etag: string) =>
    host.report(grant, 'uploads/complete', { file: 'video', upload_id, parts: [{ part: 1, etag }] });
  return { faulty, begin, part, end };
}

async function kindOf(response: Response): Promise<string> {
  const { type } = await response.json<{ type: string }>();
  return `${response.status} ${type.split('#')[1]}`;
}

describe('storage of files that fails for a moment', () => {
  it.each(['internal', 'unavailable', 'tooMany'] as const)(
    '(%s) answers 503, and the same step goes on',
    async (kind) => {
      const { faulty, begin, part, end } = await upload();
      for (const call of ['createMultipartUpload', 'uploadPart', 'complete']) {
        faulty.fail(`CLIPS.${call}`, `${call}: ${SAYS.r2[kind]}`);
      }
      const refused = await begin();
      expect(refused.headers.get('Retry-After')).toBe('1');
      expect(await kindOf(refused)).toBe('503 unavailable');
      expect(await kindOf(await part())).toBe('503 unavailable');
      const { etag } = await (await part()).json<{ etag: string }>();
      expect(await kindOf(await end(etag))).toBe('503 unavailable');
      expect((await end(etag)).status).toBe(200);
    },
  );

  it('with an unknown error answers 503 as well', async () => {
    const { faulty, part } = await upload();
    faulty.fail('CLIPS.uploadPart', 'something that no document has');
    expect(await kindOf(await part())).toBe('503 unavailable');
  });

  it.each(['noUpload', 'noPart'] as const)('differs from an unknown upload (%s): 409', async (kind) => {
    const { faulty, part, end } = await upload();
    faulty.fail('CLIPS.uploadPart', `uploadPart: ${SAYS.r2[kind]}`);
    expect(await kindOf(await part())).toBe('409 upload_incomplete');
    faulty.fail('CLIPS.complete', `completeMultipartUpload: ${SAYS.r2[kind]}`);
    expect(await kindOf(await end('"x"'))).toBe('409 upload_incomplete');
  });
});

describe('the index that fails for a moment', () => {
  it.each(SAYS.d1)('(%s) answers 503 to clients', async (text) => {
    const faulty = createFaultyService();
    const { metered } = await createAccount();
    faulty.fail('DB', text);
    expect(await kindOf(await faulty.send(metered, 'GET', '/api/jobs'))).toBe('503 unavailable');
    expect((await faulty.send(metered, 'GET', '/api/jobs')).status).toBe(200);
  });
});

describe('the end of an upload that overlaps the end of its job', () => {
  it('leaves nothing in storage, also when its host has disconnected', async () => {
    const jobId = await submit(scene.account.metered);
    const grant = await scene.host.claimJob(jobId);
    const { fence } = grant.lease;
    const path = `/gateway/v1/jobs/${jobId}/uploads`;
    const upload_id = await scene.host.beginUpload(grant, 'video');
    const parts = [await (await scene.host.part(grant, 'video', upload_id, PART)).json()];
    const headers = { Authorization: `Bearer ${scene.host.token}`, 'Content-Type': 'application/json' };

    // Storage is slow to assemble the file.
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const CLIPS = new Proxy(bindings.CLIPS, {
      get: (bucket, name) => {
        const member: unknown = Reflect.get(bucket, name);
        if (name !== 'resumeMultipartUpload') return typeof member === 'function' ? member.bind(bucket) : member;
        return (key: string) => ({
          complete: async (all: R2UploadedPart[]) => {
            begun.resolve();
            await held.promise;
            // The end of the lease aborted the upload, so only the file is left.
            await bindings.CLIPS.put(key, PART);
            return { size: all.length };
          },
        });
      },
    });
    const kept: Promise<unknown>[] = [];
    const app = createApp(createService({ ...bindings, CLIPS: CLIPS as R2Bucket }));
    const body = JSON.stringify({ fence, file: 'video', upload_id, parts });
    const answer = app(new Request(`${BASE_URL}${path}/complete`, { method: 'POST', headers, body }), {
      waitUntil: (work) => kept.push(work),
    });
    answer.catch(() => {});
    await begun.promise;
    await scene.host.report(grant, 'fail', { code: 'render_failed', detail: '' });
    await fireAlarm(jobId);
    held.resolve();
    // The only work that the platform continues after a client disconnects.
    expect(kept).toHaveLength(1);
    await Promise.all(kept);
    const { objects } = await bindings.CLIPS.list({ prefix: `clips/${await clipIdOf(jobId)}/` });
    expect(objects).toEqual([]);
    expect((await answer).status).toBe(409);
  });
});

describe('a small file of a known size', () => {
  const begun = async (over = scene.host) => {
    const grant = await scene.host.claimJob(await submit(scene.account.metered));
    const upload_id = await over.beginUpload(grant, 'video', PART.byteLength);
    const end = (etag: string) =>
      over.report(grant, 'uploads/complete', { file: 'video', upload_id, parts: [{ part: 1, etag }] });
    return { grant, part: (bytes = PART) => over.part(grant, 'video', upload_id, bytes), end };
  };

  it('is one write of storage, and each step may be repeated', async () => {
    const faulty = createFaultyService();
    const { part, end } = await begun(faulty.host(scene.host.token));
    faulty.fail('CLIPS.put', SAYS.r2.internal);
    faulty.fail('CLIPS.put', SAYS.r2.internal, { when: 'after' });
    expect(await kindOf(await end('"x"'))).toBe('409 upload_incomplete');
    expect(await kindOf(await part())).toBe('503 unavailable');
    expect(await kindOf(await part())).toBe('503 unavailable');
    const { etag } = await (await part()).json<{ etag: string }>();
    for (const _ of [1, 2]) expect(await (await end(etag)).json()).toEqual({ bytes: PART.byteLength });
    expect(await (await part()).json()).toEqual({ part: 1, etag });
    const writes = faulty.calls.filter((call) => /^CLIPS\.(?!head|delete)/.test(call));
    expect(writes).toEqual(Array.from({ length: 4 }, () => 'CLIPS.put'));
  });

  it('is not replaced once its job is done', async () => {
    const { grant, part } = await begun();
    await scene.host.finish(grant);
    expect(await kindOf(await part())).toBe('409 stale_lease');
    expect(await kindOf(await scene.host.report(grant, 'uploads', { file: 'video', bytes: 3 }))).toBe(
      '409 stale_lease',
    );
    const clipId = await clipIdOf(grant.job_id);
    const video = await bindings.CLIPS.head(`clips/${clipId}/${grant.lease.fence}/video.mp4`);
    expect(video?.size).toBeGreaterThan(PART.byteLength);
    await createFaultyService().send(scene.account.metered, 'DELETE', `/api/clips/${clipId}`);
  });

  it('is deleted if its lease ends while it is stored', async () => {
    const held = Promise.withResolvers<void>();
    const storing = Promise.withResolvers<void>();
    const CLIPS = new Proxy(bindings.CLIPS, {
      get(bucket, name) {
        const member: unknown = Reflect.get(bucket, name);
        if (name !== 'put') return typeof member === 'function' ? member.bind(bucket) : member;
        return async (...[key, ...rest]: Parameters<R2Bucket['put']>) => {
          storing.resolve();
          await held.promise;
          return bucket.put(key, ...rest);
        };
      },
    });
    const app = createApp(createService({ ...bindings, CLIPS: CLIPS as R2Bucket }));
    const kept: Promise<unknown>[] = [];
    const slow = new TestHost(scene.host.token, async (path, init) =>
      app(new Request(BASE_URL + path, init), { waitUntil: (work) => kept.push(work) }),
    );
    const { grant, part } = await begun(slow);
    const answer = part();
    await storing.promise;
    await scene.host.report(grant, 'fail', { code: 'render_failed', detail: '' });
    await fireAlarm(grant.job_id);
    held.resolve();
    expect(await kindOf(await answer)).toBe('409 stale_lease');
    await Promise.all(kept);
    const { objects } = await bindings.CLIPS.list({ prefix: `clips/${await clipIdOf(grant.job_id)}/` });
    expect(objects).toEqual([]);
  });
});

const DAY = 24 * 60 * 60 * 1000;

async function makeClips(count: number): Promise<string[]> {
  const made: string[] = [];
  for (let i = 0; i < count; i++) {
    const jobId = await submit(scene.account.metered);
    await scene.host.finish(await scene.host.claimJob(jobId));
    await fireAlarm(jobId);
    made.push(jobId);
  }
  return made;
}

async function leftOf(jobIds: readonly string[]): Promise<number> {
  await Promise.all(jobIds.map(fireAlarm));
  const { results } = await bindings.DB.prepare("SELECT job_id FROM clips WHERE state = 'ready'").all<{
    job_id: string;
  }>();
  return results.filter(({ job_id }) => jobIds.includes(job_id)).length;
}

describe('expiry', () => {
  it('goes on in batches until none is left', async () => {
    const clips = await makeClips(7);
    vi.setSystemTime(Date.now() + 31 * DAY);
    const { service } = createFaultyService();
    expect((await runUpkeep(service, Date.now(), 2)).expired).toBe(7);
    expect(await leftOf(clips)).toBe(0);
  });

  it('ends when its time is up, and the next runs continue, each with another sweep first', async () => {
    const clips = await makeClips(4);
    vi.setSystemTime(Date.now() + 31 * DAY);
    const { service } = createFaultyService();
    let now = 0;
    const hurried = { ...service, job: service.job, now: () => (now += 120_000) };
    const expired: number[] = [];
    for (let runs = 0; runs < 60 && expired.length < 2; runs++) {
      vi.setSystemTime(Date.now() + 5 * 60_000);
      const report = await runUpkeep(hurried, Date.now(), 2);
      if (report.expired > 0) expired.push(report.expired);
    }
    expect(expired).toEqual([2, 2]);
    expect(await leftOf(clips)).toBe(0);
  });

  it('ends without an error if the plan allows no more calls, and the next runs continue', async () => {
    const clips = await makeClips(6);
    vi.setSystemTime(Date.now() + 31 * DAY);
    const faulty = createFaultyService();
    const lines: string[] = [];
    const service = { ...faulty.service, job: faulty.service.job, log: (message: string) => lines.push(message) };
    let expired = 0;
    for (let runs = 0; runs < 30 && expired < 6; runs++) {
      vi.setSystemTime(Date.now() + 5 * 60_000);
      faulty.allow(25);
      expired += (await runUpkeep(service, Date.now(), 2)).expired;
    }
    expect(expired).toBe(6);
    expect(new Set(lines)).toEqual(new Set(['upkeep stopped early: no calls are left in this run']));
    expect(await leftOf(clips)).toBe(0);
  });
});

describe('the watchdog', () => {
  it('asks the index three times for each batch, however many jobs are in it: an invocation has 1,000 statements', async () => {
    await bindings.DB.prepare('UPDATE jobs SET watch_at = NULL').run();
    const row = bindings.DB.prepare(
      `INSERT INTO jobs (id, account_id, clip_id, version, status, mode, priority, resolution, created_at, watch_at)
       VALUES (?, 'elsewhere', '', 1, 'pending', 'round', 0, 1080, 0, 1)`,
    );
    await bindings.DB.batch(Array.from({ length: 120 }, () => row.bind(crypto.randomUUID())));
    const faulty = createFaultyService();
    const { called } = await runUpkeep(faulty.service, Date.now(), 50);
    expect(called).toBe(120);
    const watched = faulty.calls.filter((call) => call === 'DB').length;
    // Three batches, a page of each other sweep, the accounts with their limits, and the cursors of the sweeps.
    expect(watched).toBeLessThanOrEqual(3 * 3 + 43);
    const left = await bindings.DB.prepare('SELECT COUNT(*) AS n FROM jobs WHERE watch_at IS NOT NULL').first('n');
    expect(left).toBe(0);
  });
});
