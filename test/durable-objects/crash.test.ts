import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import type { Grant } from '#protocol/host/gateway.ts';
import { clipIdOf } from '../support/accounts.ts';
import { fireAlarm, useScenario } from '../support/scenario.ts';
import { bindings, readJob, roundRequest, sendJson } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

/**
 * The object is evicted at the commit of its next change. `lost`: in the same turn, so the change is not stored.
 * `kept`: once the change is stored; the response and effects may be lost.
 */
const DEATHS = ['lost', 'kept'] as const;
type Death = (typeof DEATHS)[number];

const scene = useScenario();

async function dieAtNextCommit(jobId: string, death: Death): Promise<void> {
  await runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (_, state) => {
    const { storage } = state;
    const commit = storage.transactionSync.bind(storage);
    const die = () => state.abort(`dead: ${death}`);
    storage.transactionSync = (closure) => {
      const result = commit(closure);
      if (death === 'lost') die();
      else void storage.sync().then(die);
      return result;
    };
  });
}

/** Fires the job's alarm as the platform would, until nothing is due for a while. */
async function recover(jobId: string): Promise<void> {
  for (let i = 0; i < 7; i++) {
    vi.setSystemTime(Date.now() + 6_000);
    await fireAlarm(jobId).catch(() => {});
  }
}

/** Returns a request whose response may be lost. */
async function attempt(call: () => Promise<Response>): Promise<number | null> {
  try {
    const { status } = await call();
    return status >= 500 ? null : status;
  } catch {
    return null;
  }
}

/** Returns the response of an object that may still be evicted. */
async function answerOf(call: () => Promise<Response>): Promise<number> {
  for (;;) {
    const status = await attempt(call);
    if (status !== null) return status;
  }
}

async function submitTwice(death: Death, key: string): Promise<{ jobId: string; second: number }> {
  const body = roundRequest({ idempotency_key: key });
  const send = () => sendJson(scene.account.metered, 'POST', '/api/clips', body);
  // The job's id is derived from its key; a probe under another account's key would be another object.
  const probe = await jobIdOf(key);
  await dieAtNextCommit(probe, death);
  await attempt(send);
  let jobId = '';
  const second = await answerOf(async () => {
    const response = await send();
    jobId = (await response.json<{ job_id: string }>()).job_id;
    return response;
  });
  expect(jobId).toBe(probe);
  return { jobId, second };
}

/** Returns the id of this account's key, from a response. */
async function jobIdOf(key: string): Promise<string> {
  const row = await bindings.DB.prepare('SELECT id_salt FROM accounts WHERE id = ?')
    .bind(scene.account.id)
    .first<{ id_salt: string }>();
  const { jobIdOfKey } = await import('#service/job/submit-one.ts');
  return jobIdOfKey(row?.id_salt ?? '', key);
}

async function indexed(jobId: string): Promise<unknown> {
  return bindings.DB.prepare('SELECT status, error_code FROM jobs WHERE id = ?').bind(jobId).first();
}

async function started(): Promise<{ jobId: string; grant: Grant; inbox: ReturnType<typeof createInbox> }> {
  const inbox = createInbox();
  const response = await sendJson(
    scene.account.metered,
    'POST',
    '/api/clips',
    roundRequest({ webhook_url: inbox.url }),
  );
  const { job_id } = await response.json<{ job_id: string }>();
  const grant = await scene.host.claimJob(job_id);
  await scene.host.heartbeat(grant);
  return { jobId: job_id, grant, inbox };
}

/** Returns the bodies of delivered webhooks. An attempt that was lost is repeated under the same id. */
async function announced({ received }: ReturnType<typeof createInbox>): Promise<unknown[]> {
  const events = new Map<unknown, unknown>();
  for (const { headers, body } of await received()) {
    events.set(headers['x-service-delivery-id'], JSON.parse(body).event);
  }
  return [...events.values()];
}

describe.each(DEATHS)('an object that dies at a commit (%s)', (death) => {
  it('of a submit: a repeated request finds or makes the job, which is offered and indexed once', async () => {
    const { jobId, second } = await submitTwice(death, crypto.randomUUID());
    expect(second).toBe(death === 'kept' ? 200 : 201);
    await recover(jobId);
    expect(await indexed(jobId)).toEqual({ status: 'pending', error_code: null });
    expect((await scene.host.claimJob(jobId)).lease.fence).toBe(1);
  });

  it('of a completion: the host repeats it, and the outcome is announced', async () => {
    const { jobId, grant, inbox } = await started();
    await dieAtNextCommit(jobId, death);
    await attempt(() => scene.host.finish(grant));
    expect(await answerOf(() => scene.host.finish(grant))).toBe(204);
    await recover(jobId);
    expect(await readJob(scene.account.metered, jobId)).toMatchObject({
      status: 'done',
      clip_id: await clipIdOf(jobId),
    });
    expect(await indexed(jobId)).toEqual({ status: 'done', error_code: null });
    expect(await announced(inbox)).toEqual(['job.completed']);
  });

  it('of a failure: the job fails or loses its lease, and is announced exactly when it has failed', async () => {
    const { jobId, grant, inbox } = await started();
    await dieAtNextCommit(jobId, death);
    const fail = () => scene.host.report(grant, 'fail', { code: 'demo_404', detail: '' });
    await attempt(fail);
    expect(await answerOf(fail)).toBe(death === 'kept' ? 409 : 204);
    await recover(jobId);
    expect(await indexed(jobId)).toEqual({ status: 'error', error_code: 'demo_404' });
    expect(await announced(inbox)).toEqual(['job.failed']);
  });

  it('of a re-run: the old webhook is canceled exactly if the re-run counts', async () => {
    const { jobId, grant } = await started();
    await scene.host.finish(grant);
    await recover(jobId);
    await dieAtNextCommit(jobId, death);
    const resubmit = () => sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/resubmit`);
    await attempt(resubmit);
    expect(await answerOf(resubmit)).toBe(death === 'kept' ? 409 : 200);
    await recover(jobId);
    expect((await scene.host.claimJob(jobId)).lease.fence).toBe(2);
  });

  it('of a deletion: the files are deleted once the deletion is stored, and not before', async () => {
    const { jobId, grant } = await started();
    await scene.host.finish(grant);
    await recover(jobId);
    const clipId = await clipIdOf(jobId);
    await dieAtNextCommit(jobId, death);
    const remove = () => sendJson(scene.account.metered, 'DELETE', `/api/clips/${clipId}`);
    await attempt(remove);
    const { objects } = await bindings.CLIPS.list({ prefix: `clips/${clipId}/` });
    if (death === 'lost') expect(objects).toHaveLength(2);
    expect(await answerOf(remove)).toBe(204);
    await recover(jobId);
    expect((await bindings.CLIPS.list({ prefix: `clips/${clipId}/` })).objects).toEqual([]);
  });
});
