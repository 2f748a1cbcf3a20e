import { beforeAll, describe, expect, it } from 'vitest';
import type { Grant } from '../../protocol/gateway.ts';
import { CAPABILITIES } from '../support/capabilities.ts';
import { TestHost } from '../support/host.ts';
import { createAccount, createHost, sendJson, submit, type TestAccount } from '../support/service.ts';

const DEMO = 'https://demos.example.com/a.dem?signed=1';
const OTHER = 'https://demos.example.com/b.dem';

let mine: TestAccount;
let host: TestHost;

beforeAll(async () => {
  mine = await createAccount();
  host = new TestHost(await createHost());
});

/** What a host gets that has some demos; it is done with it at once. */
async function claim(demo_keys: readonly string[] = []): Promise<Grant> {
  const body = { capabilities: CAPABILITIES, wait_s: 5, demo_keys };
  const grant = await (await sendJson(host.token, 'POST', '/gateway/v1/claim', body)).json<Grant>();
  await host.heartbeat(grant);
  await host.report(grant, 'fail', { code: 'demo_404', detail: 'It is not there.' });
  return grant;
}

async function keysOf(account: TestAccount, demo_url: string): Promise<{ demo: string; account: string }> {
  const jobId = await submit(account.metered, { demo_url });
  const grant = await claim();
  expect(grant.job_id).toBe(jobId);
  return { demo: grant.demo_key ?? '', account: grant.account_key ?? '' };
}

const keyOf = async (account: TestAccount, demoUrl: string) => (await keysOf(account, demoUrl)).demo;

describe('the key of a demo', () => {
  it('stands for an account and an address, its query included, and tells neither', async () => {
    const key = await keyOf(mine, DEMO);
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(await keyOf(mine, DEMO)).toBe(key);
    const others = [
      await keyOf(await createAccount(), DEMO),
      await keyOf(mine, DEMO.replace('signed=1', 'signed=2')),
      await keyOf(mine, OTHER),
    ];
    expect(new Set([key, ...others]).size).toBe(4);
  });

  it('comes with one of the account alone, the same for all its demos', async () => {
    const first = await keysOf(mine, DEMO);
    expect(first.account).toMatch(/^[0-9a-f]{32}$/);
    expect((await keysOf(mine, OTHER)).account).toBe(first.account);
    expect((await keysOf(await createAccount(), DEMO)).account).not.toBe(first.account);
  });

  it('has a host that kept the demo get a job of it before others of its account', async () => {
    const key = await keyOf(mine, DEMO);
    const first = await submit(mine.metered, { demo_url: OTHER });
    const second = await submit(mine.metered, { demo_url: DEMO });
    const third = await submit(mine.metered, { demo_url: DEMO });
    expect((await claim([key])).job_id).toBe(second);
    expect((await claim(['0'.repeat(32)])).job_id).toBe(first);
    expect((await claim([key])).job_id).toBe(third);
  });

  it('is refused where it is none, or one of too many', async () => {
    for (const demo_keys of [['A'.repeat(32)], ['a'], Array.from({ length: 17 }, () => 'a'.repeat(32))]) {
      const body = { capabilities: CAPABILITIES, wait_s: 0, demo_keys };
      expect((await sendJson(host.token, 'POST', '/gateway/v1/claim', body)).status).toBe(400);
    }
  });
});
