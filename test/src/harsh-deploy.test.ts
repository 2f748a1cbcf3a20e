import { describe, expect, it, vi } from 'vitest';
import { dispatcherOf } from '../../durable-objects/dispatcher/dispatchers.ts';
import type { Grant } from '../../protocol/gateway.ts';
import { createHarsh, resetByDeploy, resetObject } from '../support/harsh.ts';
import { fireAlarm, pass, useScenario } from '../support/scenario.ts';
import { bindings, readJob, sendJson, submit } from '../support/service.ts';

const scene = useScenario();
const CAPABILITIES = { renderer: 'radar', max_resolution: 1440, max_fps: 120, game_build: null, agent_version: 'test' };

/** So that no other test meets the job in the queue. */
const end = async (grant: Grant) => scene.host.report(grant, 'fail', { code: 'demo_404', detail: '' });

const claim = (harsh: ReturnType<typeof createHarsh>) =>
  harsh.send(scene.host.token, 'POST', '/gateway/v1/claim', { capabilities: CAPABILITIES, wait_s: 0 });

/** A job that has offered itself. */
async function offered(): Promise<string> {
  const jobId = await submit(scene.account.metered);
  await fireAlarm(jobId);
  return jobId;
}

describe('a deploy', () => {
  it('that resets a job between its suggestion and its lease costs nothing: the next call reaches the new object', async () => {
    const jobId = await offered();
    const harsh = createHarsh();
    harsh.fail('RENDER_JOB.claim', resetByDeploy);
    const grant = await (await claim(harsh)).json<Grant>();
    expect(grant).toMatchObject({ job_id: jobId, lease: { fence: 1 } });
    await end(grant);
  });

  it('that loses the answer to a lease costs the job seconds, no attempt and not its place', async () => {
    const jobId = await offered();
    const harsh = createHarsh();
    harsh.fail('RENDER_JOB.claim', resetByDeploy, { when: 'after' });
    expect((await claim(harsh)).status).toBe(204);
    await pass(11_000, jobId);
    const grant = await (await claim(harsh)).json<Grant>();
    expect(grant).toMatchObject({ job_id: jobId, lease: { fence: 2 } });
    expect(await readJob(scene.account.metered, jobId)).toMatchObject({ status: 'prefetch' });
    await end(grant);
  });

  it('that goes on for longer leaves the job its place: it is suggested again within ten seconds', async () => {
    const jobId = await offered();
    const harsh = createHarsh();
    harsh.fail('RENDER_JOB.claim', resetByDeploy, { times: 2 });
    expect((await claim(harsh)).status).toBe(204);
    vi.setSystemTime(Date.now() + 10_001);
    const grant = await (await claim(harsh)).json<Grant>();
    expect(grant.job_id).toBe(jobId);
    await end(grant);
  });

  it('tells a client to come again in a second', async () => {
    const jobId = await offered();
    const harsh = createHarsh();
    harsh.fail('RENDER_JOB.read', resetByDeploy);
    const response = await harsh.send(scene.account.metered, 'GET', `/api/jobs/${jobId}`);
    expect(`${response.status} ${response.headers.get('Retry-After')}`).toBe('503 1');
  });

  it('cuts a held claim, really: the host hears 503, and nothing is lost', async () => {
    const body = { capabilities: { ...CAPABILITIES, max_fps: 5 }, wait_s: 20 };
    const held = sendJson(scene.host.token, 'POST', '/gateway/v1/claim', body);
    const other = sendJson(scene.host.token, 'POST', '/gateway/v1/claim', body);
    // Both are held once a third, which waits for nothing, was answered by the same object.
    await sendJson(scene.host.token, 'POST', '/gateway/v1/claim', { ...body, wait_s: 0 });
    await resetObject(dispatcherOf(bindings.DISPATCHER));
    for (const response of await Promise.all([held, other])) {
      expect(`${response.status} ${response.headers.get('Retry-After')}`).toBe('503 1');
      await response.body?.cancel();
    }
  });
});
