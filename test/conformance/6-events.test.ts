import { beforeAll, describe, expect, it } from 'vitest';
import { roundRequest } from '#test/conformance/support/api.ts';
import type { Arrival, Reply } from '../support/receiver.ts';
import { OTHER_VIDEO, THUMBNAIL, VIDEO } from '../support/test-host.ts';
import {
  type Account,
  BASE_URL,
  createAccount,
  createReceiver,
  failJob,
  grantOf,
  host,
  renderJob,
} from './support/service.ts';

let account: Account;

beforeAll(async () => {
  account = await createAccount();
});

/** The part of a test's context that runs clean-up. */
interface Context {
  readonly onTestFinished: Parameters<typeof createReceiver>[1] & {};
}

/** Creates a receiver, and a job without an outcome that notifies it. */
async function jobFor({ onTestFinished }: Context, reply?: Reply, fields: Record<string, unknown> = {}) {
  const receiver = await createReceiver(reply, onTestFinished);
  const jobId = await account.metered.submit(roundRequest({ webhook_url: receiver.url, ...fields }));
  return { receiver, jobId };
}

const resend = async (jobId: string) =>
  String((await account.metered.post(`/api/jobs/${jobId}/resend-webhook`)).body.delivery_id);

const countOf = (arrivals: readonly Arrival[], id: string) =>
  arrivals.filter(({ deliveryId }) => deliveryId === id).length;

/** Waits for the arrival that a test describes. */
async function findArrival(
  receiver: Awaited<ReturnType<typeof createReceiver>>,
  wanted: (arrival: Arrival) => boolean,
): Promise<Arrival> {
  for (let i = 0; ; i++) {
    const arrival = await receiver.arrival(i);
    if (wanted(arrival)) return arrival;
  }
}

describe.concurrent('6.1 event kinds', () => {
  it('rule 1: once for an outcome, and never without a webhook_url', async (context) => {
    const { receiver, jobId } = await jobFor(context);
    await renderJob(jobId);
    await receiver.arrival(0);
    const silent = await account.metered.submit(roundRequest());
    await renderJob(silent);
    const deliveries = async (id: string) => (await account.metered.get(`/api/jobs/${id}/deliveries`)).body.deliveries;
    expect(await deliveries(jobId)).toHaveLength(1);
    expect(await deliveries(silent)).toEqual([]);
  });

  it('rules 2 and 3: nothing for the submission, in flight, or while it waits for a retry', async (context) => {
    const { receiver, jobId } = await jobFor(context);
    const grant = await grantOf(jobId);
    await host.render(grant);
    await host.fail(grant, 'download_timeout');
    const second = await grantOf(jobId, grant.lease.fence);
    expect(receiver.arrivals).toEqual([]);
    await host.complete(second);
    expect((await receiver.arrival(0)).body).toMatchObject({ event: 'job.completed' });
    expect(receiver.arrivals).toHaveLength(1);
  });

  it('rule 4: a re-run has a webhook of its own, and the undelivered one is not retried', async (context) => {
    const { receiver, jobId } = await jobFor(context, () => 500);
    const { lease } = await failJob(jobId, 'no_kills_found');
    const old = await receiver.arrival(1);
    await account.metered.post(`/api/jobs/${jobId}/resubmit`);
    await renderJob(jobId, lease.fence);
    const fresh = await findArrival(receiver, ({ deliveryId }) => deliveryId !== old.deliveryId);
    expect(fresh).toMatchObject({ attempt: 1, body: { event: 'job.completed', error_code: null } });
    const before = countOf(receiver.arrivals, old.deliveryId);
    await findArrival(receiver, ({ deliveryId, attempt }) => deliveryId === fresh.deliveryId && attempt === 4);
    expect(countOf(receiver.arrivals, old.deliveryId)).toBe(before);
  });
});

describe.concurrent('6.2 delivery', () => {
  it('method, target with its query, and content type', async (context) => {
    const receiver = await createReceiver(undefined, context.onTestFinished);
    const jobId = await account.metered.submit(roundRequest({ webhook_url: `${receiver.url}/a%20b?c=%26&d` }));
    await renderJob(jobId);
    expect(await receiver.arrival(0)).toMatchObject({
      method: 'POST',
      path: '/hook/a%20b?c=%26&d',
      headers: { 'content-type': 'application/json' },
    });
  });

  it('timeout: an attempt without an answer fails and is repeated', async (context) => {
    const { receiver, jobId } = await jobFor(context, (index) => (index === 0 ? null : 200));
    await failJob(jobId, 'demo_404');
    const first = await receiver.arrival(0);
    expect(await receiver.arrival(1)).toMatchObject({ deliveryId: first.deliveryId, attempt: 2, text: first.text });
  });

  it.for([302, 410, 429, 500])('failure: after %i it is repeated, to the same target', async (status, context) => {
    const { receiver, jobId } = await jobFor(context, (index, response) => {
      if (index > 0) return 200;
      response.writeHead(status, { Location: '/elsewhere', 'Retry-After': '86400' }).end();
      return null;
    });
    await failJob(jobId, 'demo_404');
    const first = await receiver.arrival(0);
    const second = await receiver.arrival(1);
    expect(first).toMatchObject({ attempt: 1, path: '/hook' });
    expect(second).toMatchObject({ attempt: 2, path: '/hook', deliveryId: first.deliveryId, text: first.text });
  });
});

// Runs alone: the service waits ten real seconds for an answer, in which everything has to happen.
it('6.2 delivery: a receiver that does not answer one delivery does not delay another', async (context) => {
  let isHeld = true;
  const { receiver, jobId } = await jobFor(context, (index, response) => {
    if (index > 0) return 200;
    response.once('close', () => {
      isHeld = false;
    });
    return null;
  });
  await failJob(jobId, 'demo_404');
  await receiver.arrival(0);
  const deliveryId = await resend(jobId);
  expect(await receiver.arrival(1)).toMatchObject({ deliveryId, attempt: 1 });
  expect(isHeld).toBe(true);
});

describe.concurrent('6.2 headers', () => {
  it('Authorization is sent as it was set', async (context) => {
    const webhook_auth_header = 'key="a,  b"; c=d\t!~';
    const { receiver, jobId } = await jobFor(context, undefined, { webhook_auth_header });
    await failJob(jobId, 'demo_404');
    expect((await receiver.arrival(0)).headers.authorization).toBe(webhook_auth_header);
  });

  it('without a webhook_auth_header a webhook has no Authorization and no signature', async (context) => {
    const { receiver, jobId } = await jobFor(context);
    await failJob(jobId, 'demo_404');
    const names = Object.keys((await receiver.arrival(0)).headers);
    expect(names).not.toContain('authorization');
    expect(names.filter((name) => /sign|hmac|digest/.test(name))).toEqual([]);
  });
});

describe.concurrent('6.3 webhook payload', () => {
  it('of a completed job', async (context) => {
    const { receiver, jobId } = await jobFor(context, undefined, { extras: { order: 7 } });
    const grant = await grantOf(jobId);
    await host.complete(grant, { duration: 12.5 });
    const { clip_id } = await account.metered.job(jobId);
    expect((await receiver.arrival(0)).body).toEqual({
      event: 'job.completed',
      job_id: jobId,
      clip_id,
      clip_url: `${BASE_URL}/clips/${clip_id}/embed`,
      video_url: expect.stringContaining(`${BASE_URL}/`),
      thumbnail_url: expect.stringContaining(`${BASE_URL}/`),
      clip_duration: 12.5,
      status: 'processed',
      error_code: null,
      extras: { order: 7 },
    });
  });

  it('its addresses are public and lead to the player, the MP4 and the JPEG', async (context) => {
    const { receiver, jobId } = await jobFor(context);
    await renderJob(jobId, 0, { video: OTHER_VIDEO });
    const { clip_url, video_url, thumbnail_url } = (await receiver.arrival(0)).body;
    const load = async (url: unknown) => {
      const response = await fetch(String(url));
      return { type: response.headers.get('Content-Type'), bytes: new Uint8Array(await response.arrayBuffer()) };
    };
    expect((await load(clip_url)).type).toMatch(/^text\/html/);
    expect(await load(video_url)).toEqual({ type: 'video/mp4', bytes: OTHER_VIDEO });
    expect(await load(thumbnail_url)).toEqual({ type: 'image/jpeg', bytes: THUMBNAIL });
    expect(VIDEO).not.toEqual(OTHER_VIDEO);
  });

  it('of a failed job: values that do not apply are null, not absent', async (context) => {
    const { receiver, jobId } = await jobFor(context);
    await failJob(jobId, 'player_not_in_demo');
    expect((await receiver.arrival(0)).body).toEqual({
      event: 'job.failed',
      job_id: jobId,
      clip_id: null,
      clip_url: null,
      video_url: null,
      thumbnail_url: null,
      clip_duration: null,
      status: 'error',
      error_code: 'player_not_in_demo',
      extras: null,
    });
  });

  // core/http/reply.test.ts has every kind of value.
  it.for(['null', '{"a":{"b":[null,true,"c"]},"":0}', '12345678901234567890', '{"a":1,"a":2}', '"\\ud800 \\u00fc 🎬"'])(
    'extras comes back as it was sent, after success and after failure: %s',
    async (extras, { onTestFinished }) => {
      const receiver = await createReceiver(undefined, onTestFinished);
      const request = JSON.stringify(roundRequest({ webhook_url: receiver.url })).replace(/}$/, `,"extras":${extras}}`);
      const jobId = await account.metered.submit(request);
      const { lease } = await failJob(jobId, 'demo_404');
      expect((await receiver.arrival(0)).text).toContain(`"extras":${extras}}`);
      await account.metered.post(`/api/jobs/${jobId}/resubmit`);
      await renderJob(jobId, lease.fence);
      expect((await receiver.arrival(1)).text).toContain(`"extras":${extras}}`);
    },
  );
});
