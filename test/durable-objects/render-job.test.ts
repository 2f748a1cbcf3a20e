import { abortAllDurableObjects, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import type { RenderJob } from '#durable-objects/render-job/render-job.ts';
import { clipIdOf } from '../support/clip-ids.ts';
import { fireAlarm, pass, ringEvicted, useScenario } from '../support/scenario.ts';
import { bindings, readJob, sendJson, submit } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const MINUTE = 60_000;
const signed = crypto.subtle.sign;

const scene = useScenario();

async function deliveriesOf(jobId: string) {
  const response = await sendJson(scene.account.metered, 'GET', `/api/jobs/${jobId}/deliveries`);
  return (await response.json<{ deliveries: { id: string; status: string; attempts: unknown[] }[] }>()).deliveries;
}

describe('outcome webhooks', () => {
  it('are listed with what became of each attempt; one that the platform could not make is a failed connection', async () => {
    const inbox = createInbox('500,302,reset,522,530,200');
    const jobId = await submit(scene.account.metered, { webhook_url: inbox.url });
    await scene.host.report(await scene.host.claimJob(jobId), 'fail', { code: 'demo_404', detail: '' });
    await fireAlarm(jobId);
    for (let attempts = 1; attempts < 6; attempts++) await pass(15 * MINUTE, jobId);
    const failed = { http_status: null, error: 'the connection failed' };
    expect(await deliveriesOf(jobId)).toMatchObject([
      {
        status: 'delivered',
        attempts: [
          { attempt: 1, http_status: 500, error: 'the receiver answered 500' },
          { attempt: 2, http_status: 302 },
          ...[3, 4, 5].map((attempt) => ({ attempt, ...failed })),
          { attempt: 6, http_status: 200, error: null },
        ],
      },
    ]);
  });

  it('of a superseded outcome are not sent, if the re-run comes while they are being signed', async () => {
    const { account, host } = scene;
    expect((await sendJson(account.metered, 'POST', '/api/webhook-secrets')).status).toBe(201);
    const inbox = createInbox();
    const jobId = await submit(account.metered, { webhook_url: inbox.url });
    const order = await host.claimJob(jobId);
    const object = await runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (instance: RenderJob) => instance);
    const sign = vi.spyOn(crypto.subtle, 'sign').mockImplementation((...args) => {
      if (!new TextDecoder().decode(args[2]).includes(jobId)) return Reflect.apply(signed, crypto.subtle, args);
      sign.mockRestore();
      expect(object.resubmit(account.id)).toMatchObject({ ok: true });
      return Reflect.apply(signed, crypto.subtle, args);
    });
    await host.report(order, 'fail', { code: 'demo_404', detail: '' });
    await fireAlarm(jobId);
    await host.finish(await host.claimJob(jobId));
    await fireAlarm(jobId);
    expect((await inbox.received()).map(({ body }) => JSON.parse(body).event)).toEqual(['job.completed']);
    expect(await deliveriesOf(jobId)).toMatchObject([{ status: 'canceled', attempts: [] }, { status: 'delivered' }]);
  });
});

describe('sending a webhook again', () => {
  it('stores its body once, and is refused while too many are queued', async () => {
    const inbox = createInbox('500');
    const jobId = await submit(scene.account.metered, { webhook_url: inbox.url, extras: 'x'.repeat(100_000) });
    await scene.host.report(await scene.host.claimJob(jobId), 'fail', { code: 'demo_404', detail: '' });
    await fireAlarm(jobId);
    const resend = () => sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/resend-webhook`);
    for (let open = 1; open < 20; open++) expect((await resend()).status).toBe(200);
    const refused = await resend();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('Retry-After')).toBe('60');
    const bytes = await runInDurableObject(
      bindings.RENDER_JOB.getByName(jobId),
      (_, { storage }) => storage.sql.databaseSize,
    );
    expect(bytes).toBeLessThan(2 * 100_000 + 200_000);
    await inbox.answerWith('200');
    await ringEvicted(jobId, Date.now() + 16 * MINUTE);
    expect((await resend()).status).toBe(200);
  });

  it('is refused while the next run waits for a retry, because that run has no outcome yet', async () => {
    const inbox = createInbox();
    const jobId = await submit(scene.account.metered, { webhook_url: inbox.url });
    await scene.host.report(await scene.host.claimJob(jobId), 'fail', { code: 'demo_404', detail: '' });
    await fireAlarm(jobId);
    await sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/resubmit`);
    await scene.host.report(await scene.host.claimJob(jobId), 'fail', { code: 'download_error', detail: '' });
    expect(await readJob(scene.account.metered, jobId)).toMatchObject({ status: 'retrying' });
    const response = await sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/resend-webhook`);
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({
      type: expect.stringMatching(/job_in_flight$/),
      detail: expect.stringContaining('no outcome yet'),
    });
  });
});

describe('a lease', () => {
  it('that is not extended expires, and its job runs again', async () => {
    const jobId = await submit(scene.account.metered);
    const grant = await scene.host.claimJob(jobId);
    await scene.host.heartbeat(grant);
    await pass(59_000, jobId);
    expect(await readJob(scene.account.metered, jobId)).toMatchObject({ status: 'render' });
    await pass(2_000, jobId);
    expect(await readJob(scene.account.metered, jobId)).toMatchObject({
      status: 'retrying',
      error_code: 'cs2_unavailable',
      finished_at: null,
    });
    expect((await scene.host.heartbeat(grant)).status).toBe(409);
    await pass(17_000, jobId);
    // For half a minute another host is preferred.
    await pass(30_000, jobId);
    const second = await scene.host.claimJob(jobId);
    expect(second.lease.fence).toBe(grant.lease.fence + 1);
    expect((await scene.host.finish(grant)).status).toBe(409);
    expect((await scene.host.finish(second)).status).toBe(204);
    expect(await readJob(scene.account.metered, jobId)).toMatchObject({ status: 'done', error_code: null });
  });

  it('expires in time although its object is evicted before every alarm and is not called', async () => {
    const jobId = await submit(scene.account.metered);
    const grant = await scene.host.claimJob(jobId);
    await scene.host.heartbeat(grant);
    const heardAt = Date.now();
    // The lease ends, the retry of 15 s (within 10 %) waits, and for half a minute another host is preferred.
    await ringEvicted(jobId, heardAt + 60_000 + 17_000 + 30_000);
    expect(await scene.host.claim()).toMatchObject({ job_id: jobId, lease: { fence: grant.lease.fence + 1 } });
    expect((await scene.host.heartbeat(grant)).status).toBe(409);
  });

  it('of a living host outlasts any number of evictions', async () => {
    const jobId = await submit(scene.account.metered);
    const grant = await scene.host.claimJob(jobId);
    for (let beats = 0; beats < 30; beats++) {
      expect((await scene.host.heartbeat(grant)).status).toBe(204);
      await ringEvicted(jobId, Date.now() + 10_000);
    }
    expect(await readJob(scene.account.metered, jobId)).toMatchObject({ status: 'render' });
  });

  it('that is lost aborts its uploads', async () => {
    const jobId = await submit(scene.account.metered);
    const grant = await scene.host.claimJob(jobId);
    await scene.host.heartbeat(grant);
    const upload_id = await scene.host.beginUpload(grant, 'video');
    const key = `clips/${await clipIdOf(jobId)}/${grant.lease.fence}/video.mp4`;
    const part = () => bindings.CLIPS.resumeMultipartUpload(key, upload_id).uploadPart(1, new Uint8Array([1]));
    await part();
    await ringEvicted(jobId, Date.now() + 70_000);
    await expect(part()).rejects.toThrow(/does not exist/);
  });
});

describe('effects', () => {
  it('of a commit are carried out even if the object dies right after it', async () => {
    const jobId = crypto.randomUUID();
    const request = { demo_url: 'https://demos.example.com/a.dem', steam64_id: '1', extras: null };
    const ids = { jobId, clipId: await clipIdOf(jobId), accountId: scene.account.id };
    await bindings.RENDER_JOB.getByName(jobId).submit({ ...ids, priority: false, request });
    await abortAllDurableObjects().catch(() => {});
    await pass(10_000, jobId);
    const row = await bindings.DB.prepare('SELECT status FROM jobs WHERE id = ?').bind(jobId).first();
    expect(row).toEqual({ status: 'pending' });
    expect((await scene.host.claimJob(jobId)).job_id).toBe(jobId);
  });

  it('offer a job again when the ready queue was lost', async () => {
    const jobId = await submit(scene.account.metered);
    await scene.host.heartbeat(await scene.host.claimJob(jobId));
    const lost = await submit(scene.account.metered);
    const forgotten = () =>
      runInDurableObject(bindings.DISPATCHER.getByName('shard-0'), (_, { storage }) =>
        storage.sql.exec('DELETE FROM ready RETURNING job_id').toArray(),
      );
    // A job is offered shortly after it is accepted.
    await expect.poll(forgotten).toContainEqual({ job_id: lost });
    // Skips an unconfirmed grant of an earlier test.
    for (let other = await scene.host.claim(); other; other = await scene.host.claim()) {
      expect(other.job_id).not.toBe(lost);
    }
    await pass(MINUTE, lost);
    expect((await scene.host.claimJob(lost)).job_id).toBe(lost);
  });
});
