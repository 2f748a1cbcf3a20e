import { describe, expect, it } from 'vitest';
import { TestHost, VIDEO } from '../support/host.ts';
import { createAccount, createHost, PLAYER, readJob, sendJson, sendThrough, submit } from '../support/service.ts';

describe('a clip from submit to viewer', () => {
  it('goes through pending, prefetch, render and done, and is served', async () => {
    const account = await createAccount();
    const host = new TestHost(await createHost());

    const jobId = await submit(account.metered, { round: 3, fps: 60, extras: { a: [1, null] } });
    expect(await readJob(account.reserved, jobId)).toEqual({
      id: jobId,
      status: 'pending',
      priority: false,
      fps: 60,
      resolution: 1080,
      clip_id: null,
      error_code: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      finished_at: null,
      payload: {
        demo_url: 'https://demos.example.com/match.dem',
        steam64_id: PLAYER,
        round: 3,
        fps: 60,
        resolution: 1080,
        extras: '{"a":[1,null]}',
        idempotency_key: null,
      },
    });

    const grant = await host.claimJob(jobId);
    expect(grant.order).toMatchObject({ fps: 60, resolution: 1080, selection: { mode: 'round', round: 3 } });
    expect(await readJob(account.metered, jobId)).toMatchObject({ status: 'prefetch' });
    expect((await host.heartbeat(grant)).status).toBe(204);
    expect(await readJob(account.metered, jobId)).toMatchObject({ status: 'render' });
    expect((await host.finish(grant)).status).toBe(204);

    const job = await readJob<{ status: string; clip_id: string; finished_at: string }>(account.metered, jobId);
    expect(job).toMatchObject({ status: 'done', clip_id: expect.any(String), finished_at: expect.any(String) });
    expect(job.clip_id).not.toBe(jobId);

    const clip = await sendJson(account.metered, 'GET', `/api/clips/${job.clip_id}`);
    expect(await clip.json()).toEqual({
      id: job.clip_id,
      state: 'ready',
      is_saved: false,
      title: '2 kills by Ferris on cs_italy',
      resolution: 1080,
      fps: 60,
      tier: 'metered',
      duration_seconds: 7.5,
      size: String(VIDEO.byteLength),
      job_id: jobId,
      created_at: job.finished_at,
    });

    const page = await sendThrough(`/clips/${job.clip_id}`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('2 kills by Ferris on cs_italy');

    const part = await sendThrough(`/clips/${job.clip_id}/video.mp4`, { headers: { Range: 'bytes=500-999' } });
    expect(part.status).toBe(206);
    expect(part.headers.get('Content-Range')).toBe(`bytes 500-999/${VIDEO.byteLength}`);
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(VIDEO.slice(500, 1000));
  });
});
