import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { beforeEach, describe, expect, it } from 'vitest';
import type { LimitValues } from '#domain/operate/limits.ts';
import type { Permits } from '#service/lib/permits.ts';
import { createAccount, createHost, isolatedApp, statuses, type TestAccount } from '../support/accounts.ts';
import { BASE_URL, bindings, sendJson, submit } from '../support/service.ts';
import { SOUNDS } from '../support/sounds.ts';
import { CAPABILITIES } from '../support/test-host.ts';

const KIB = 1024;
const MIB = KIB * KIB;
let account: TestAccount;
beforeEach(async () => {
  account = await createAccount();
});

/** Creates an isolate with these limits. Its answers are not read. */
function isolateOf(constants: Partial<LimitValues> = {}, env: Partial<typeof bindings> = {}) {
  const { app, permits } = isolatedApp({}, env, constants);
  const held = (name: Parameters<Permits['held']>[0], owner = account.id) => permits.held(name, owner);
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
  await expectRefusal(all[3]?.response, /Event streams of all jobs: at most 2 /);
  await expectRefusal(ofJob[5]?.response, /Event streams: at most 5 /);
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
  await expectRefusal((await Promise.race(polls)).response, /Claims in progress: at most 64 /);
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
  await expectRefusal((await Promise.race(calls)).response, /Tool calls of agents: at most 10 /);
  expect(held('tool_calls')).toBe(10);
  await sendJson(account.metered, 'POST', `/api/jobs/${jobId}/cancel`);
  expect(statuses(await Promise.all(calls)).toSorted()).toEqual(codes(10, 1));
  expect(held('tool_calls')).toBe(0);
  await Promise.all(many(11, () => call('none')));
  expect(held('tool_calls')).toBe(0);
});

describe('bodies', () => {
  /** A body that brings some bytes, and then no more until it ends, or breaks off. */
  function openBody(bytes: Uint8Array) {
    let end: ReadableStreamDefaultController<Uint8Array> | null = null;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        end = controller;
        for (let at = 0; at < bytes.length; at += 64 * KIB) controller.enqueue(bytes.slice(at, at + 64 * KIB));
      },
    });
    return { body, end: () => end?.close(), breakOff: () => end?.error(new Error('Network connection lost.')) };
  }
  const rows = async () => {
    const { results } = await bindings.DB.prepare(
      "SELECT (SELECT COUNT(*) FROM assets WHERE account_id = ?1) AS n, used FROM budgets WHERE owner = ?1 AND name = 'asset_mib'",
    )
      .bind(account.id)
      .all();
    const { objects } = await bindings.ASSETS.list({ prefix: `assets/${account.id}/` });
    return { ...results[0], files: objects.length };
  };

  it('of 30 unfinished uploads of music are in storage and not in memory, and leave nothing', {
    tags: ['long'],
  }, async () => {
    const stored = { bytes: 0 };
    const put = (key: string, file: ReadableStream<Uint8Array>) => {
      const { readable, writable } = new FixedLengthStream(20 * MIB);
      const count = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          stored.bytes += chunk.byteLength;
          controller.enqueue(chunk);
        },
      });
      file
        .pipeThrough(count)
        .pipeTo(writable)
        .catch(() => {});
      return bindings.ASSETS.put(key, readable);
    };
    const ASSETS = new Proxy(bindings.ASSETS, {
      get: (bucket, name) => (name === 'put' ? put : Reflect.get(bucket, name).bind(bucket)),
    });
    const { ask, held } = isolateOf({}, { ASSETS });
    const bodies = many(30, () => openBody(new Uint8Array(MIB)));
    const answers = bodies.map(({ body }) => {
      const headers = { 'Content-Type': 'audio/wav', 'Content-Length': String(20 * MIB) };
      return ask(account.metered, '/api/assets?kind=music', { method: 'POST', headers, body });
    });
    // One chunk of each is held back, because it could be the last of a wrong file.
    await expect.poll(() => stored.bytes).toBe(30 * (MIB - 64 * KIB));
    expect([held('body_kib'), held('all_body_kib', '')]).toEqual([30 * 64, 30 * 64]);
    for (const { breakOff } of bodies) breakOff();
    expect(statuses(await Promise.all(answers))).toEqual(many(30, () => 408));
    await Promise.all((await Promise.all(answers)).map(({ context }) => waitOnExecutionContext(context)));
    expect(await rows()).toEqual({ n: 0, used: 0, files: 0 });
    expect([held('body_kib'), held('all_body_kib', '')]).toEqual([0, 0]);
  });

  it('of music are read back one after the other where memory is short', { tags: ['long'] }, async () => {
    const wav = new Uint8Array(1.5 * MIB);
    wav.set(SOUNDS.wav);
    const { ask, held } = isolateOf({ body_kib: 2 * KIB });
    const headers = { 'Content-Type': 'audio/wav', 'Content-Length': String(wav.length) };
    const send = (body: Uint8Array<ArrayBuffer>) =>
      ask(account.metered, '/api/assets?kind=music', { method: 'POST', headers, body });
    expect(statuses(await Promise.all(many(5, () => send(wav))))).toEqual(many(5, () => 201));
    expect((await send(new Uint8Array(wav.length))).status).toBe(400);
    expect(await rows()).toEqual({ n: 5, used: 5 * wav.length, files: 5 });
    expect(held('body_kib')).toBe(0);
  });

  it('of JSON have room in an account and in the isolate, from their announced length or as they grow', async () => {
    const { ask, held } = isolateOf({ body_kib: 512, all_body_kib: 700 });
    const other = await createAccount();
    const submitted = (key: string, length: number | null, sent: number) => {
      const { body, ...more } = openBody(new Uint8Array(sent));
      const headers: Record<string, string> = length === null ? {} : { 'Content-Length': String(length) };
      return { ...more, answer: ask(key, '/api/clips', { method: 'POST', headers, body }) };
    };
    const announced = submitted(account.metered, 256 * KIB, 0);
    const growing = submitted(account.reserved, null, 130 * KIB);
    await expect.poll(() => held('body_kib')).toBe(256 + 256);
    const third = submitted(account.metered, KIB, 0);
    await expect.poll(() => held('body_kib')).toBe(512);
    third.end();
    await expectRefusal((await third.answer).response, /KiB of bodies in memory: at most 512 /);
    const foreign = submitted(other.metered, 256 * KIB, 0);
    foreign.end();
    await expectRefusal((await foreign.answer).response, /at most 700 /, 503);
    for (const { end } of [announced, growing]) end();
    expect(statuses(await Promise.all([announced.answer, growing.answer]))).toEqual([400, 400]);
    expect([held('body_kib'), held('all_body_kib', '')]).toEqual([0, 0]);
  });
});
