import { beforeAll, describe, expect, it } from 'vitest';
import { roundRequest } from '#test/conformance/support/api.ts';
import type { Reply } from '../support/receiver.ts';
import { OTHER_VIDEO, THUMBNAIL, VIDEO } from '../support/test-host.ts';
import { type Account, createAccount, createReceiver, failJob, renderJob } from './support/service.ts';

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
