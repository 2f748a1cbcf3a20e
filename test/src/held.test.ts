import { createExecutionContext } from 'cloudflare:test';
import { beforeEach, expect, it } from 'vitest';
import type { LimitValues } from '#domain/operate/limits.ts';
import type { Places } from '#service/lib/places.ts';
import { createAccount, createHost, isolatedApp, statuses, type TestAccount } from '../support/accounts.ts';
import { BASE_URL, type bindings, sendJson, submit } from '../support/service.ts';
import { CAPABILITIES } from '../support/test-host.ts';

let account: TestAccount;
beforeEach(async () => {
  account = await createAccount();
});

/** Creates an isolate with these limits. Its answers are not read. */
function isolateOf(constants: Partial<LimitValues> = {}, env: Partial<typeof bindings> = {}) {
  const { app, places } = isolatedApp({}, env, constants);
  const held = (name: Parameters<Places['held']>[0], owner = account.id) => places.held(name, owner);
  const ask = async (key: string, path: string, init: RequestInit = {}) => {
    const context = createExecutionContext();
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...init.headers };
    const response = await app(new Request(BASE_URL + path, { ...init, headers }), context);
    return { response, status: response.status, context };
  };
  const post = (key: string, path: string, body: object, headers = {}) =>
    ask(key, path, { method: 'POST', body: JSON.stringify(body), headers });
  return { ask, post, held };
}
const many = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
const codes = (ok: number, refused: number) => [...many(ok, () => 200), ...many(refused, () => 429)];

/** Expects an answer that names the limit and says when to try again. */
async function expectRefusal(response: Response | undefined, limit: RegExp, status = 429) {
  expect([response?.status, Number(response?.headers.get('Retry-After')) > 0]).toEqual([status, true]);
  expect(await response?.json()).toMatchObject({ detail: expect.stringMatching(limit) });
}

it('event streams of an account are limited together, whatever they follow and however many are opened at once', async () => {
  const { ask, held } = isolateOf({ streams: 5, account_streams: 2 });
  const path = `/api/jobs/${await submit(account.metered)}/events`;
  const open = async (count: number, of: string) => {
    const answers = await Promise.all(many(count, () => ask(account.reserved, of)));
    return answers.toSorted((a, b) => a.status - b.status);
  };
  const all = await open(4, '/api/events');
  const ofJob = await open(6, path);
  expect([statuses(all), statuses(ofJob)]).toEqual([codes(2, 2), codes(3, 3)]);
  expect([held('streams'), held('account_streams')]).toEqual([5, 2]);
  await expectRefusal(all[3]?.response, /At most 2 .*Event streams of all jobs/);
  await expectRefusal(ofJob[5]?.response, /At most 5 .*Event streams/);
  for (const { response, status } of [...all, ...ofJob]) if (status === 200) await response.body?.cancel();
  await expect.poll(() => held('streams')).toBe(0);
  expect(statuses(await open(6, `${path}?include=no`))).toContain(400);
  expect([held('streams'), held('account_streams')]).toEqual([0, 0]);
});

it('a host holds 64 polls with its token, and another host others', async () => {
  const { post } = isolateOf();
  const [{ token }, other] = [await createHost(), await createHost()];
  const capabilities = { ...CAPABILITIES, renderer: 'cs2' };
  const poll = (of: string, wait_s: number) => post(of, '/gateway/v1/claim', { capabilities, wait_s });
  const polls = many(65, () => poll(token, 1));
  await expectRefusal((await Promise.race(polls)).response, /At most 64 .*Polls/);
  expect((await poll(other.token, 0)).status).toBe(204);
  const taken = async (of: typeof polls) => statuses(await Promise.all(of)).filter((status) => status < 300).length;
  expect(await taken(polls)).toBe(64);
  expect(await taken(many(64, () => poll(token, 0)))).toBe(64);
});

it('agents of an account wait in ten calls of tools at a time', async () => {
  const { post, held } = isolateOf();
  const jobId = await submit(account.metered);
  const call = (job_id: string) => {
    const params = { name: 'watch', arguments: { job_id, wait_seconds: 20 } };
    const headers = { 'MCP-Protocol-Version': '2025-11-25' };
    return post(account.reserved, '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers);
  };
  const calls = many(11, () => call(jobId));
  await expectRefusal((await Promise.race(calls)).response, /At most 10 .*Tool calls/);
  expect(held('tool_calls')).toBe(10);
  await sendJson(account.metered, 'POST', `/api/jobs/${jobId}/cancel`);
  expect(statuses(await Promise.all(calls)).toSorted()).toEqual(codes(10, 1));
  expect(held('tool_calls')).toBe(0);
  await Promise.all(many(11, () => call('none')));
  expect(held('tool_calls')).toBe(0);
});
