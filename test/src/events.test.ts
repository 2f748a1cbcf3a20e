import { createExecutionContext } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { readEvents, type StreamEvent } from '#client/events.ts';
import { formatSecret } from '#domain/account/secret-key.ts';
import { createService } from '#service/lib/service.ts';
import { createApp } from '#src/worker.ts';
import { createAccount } from '../support/accounts.ts';
import { fireAlarm, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, send, sendJson, submit } from '../support/service.ts';

const scene = useScenario();
const authorized = () => ({ Authorization: `Bearer ${scene.account.metered}` });

/** Reads `count` events of the account, after an id. */
async function follow(count: number, lastEventId: string, key = scene.account.metered): Promise<StreamEvent[]> {
  const headers = { Authorization: `Bearer ${key}`, 'Last-Event-ID': lastEventId };
  const response = await send('/api/events', { headers });
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/event-stream']);
  const events: StreamEvent[] = [];
  if (response.body) {
    for await (const event of readEvents(response.body, 60_000)) {
      events.push(event);
      if (events.length === count) break;
    }
  }
  return events;
}

const BEGINNING = `0_${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`;
const jobsIn = (events: readonly StreamEvent[]) =>
  events.map(({ data }) => JSON.parse(data) as { id: string; status: string });

it('changes of all jobs of an account come in order, and a stream continues after any of them', async () => {
  const first = await submit(scene.account.metered);
  const second = await submit(scene.account.reserved, { fps: 60 });
  for (const jobId of [first, second]) await fireAlarm(jobId);
  const begun = await follow(2, BEGINNING);
  expect(
    jobsIn(begun)
      .map(({ id }) => id)
      .sort(),
  ).toEqual([first, second].sort());
  expect(jobsIn(begun)[0]).toMatchObject({ status: 'pending', mode: 'round', clip_id: null });
  await sendJson(scene.account.metered, 'POST', `/api/jobs/${first}/cancel`);
  await fireAlarm(first);
  const [next] = await follow(1, begun.at(-1)?.id ?? '');
  expect(jobsIn(next ? [next] : [])).toMatchObject([{ id: first, status: 'error', error_code: 'canceled' }]);
  // An event is not sent twice; the other job has not changed.
  const [again] = await follow(1, begun[0]?.id ?? '');
  expect(jobsIn(again ? [again] : [])).toMatchObject([{ id: jobsIn(begun)[1]?.id === first ? first : second }]);
});

it('a client that connects without an id gets later changes of its own account only', async () => {
  await fireAlarm(await submit(scene.account.metered));
  const other = await createAccount();
  const headers = { Authorization: `Bearer ${scene.account.metered}` };
  const response = await send('/api/events', { headers });
  const events = response.body ? readEvents(response.body, 60_000) : null;
  await fireAlarm(await submit(other.metered));
  const mine = await submit(scene.account.metered);
  await fireAlarm(mine);
  expect(jobsIn([(await events?.next())?.value as StreamEvent])).toMatchObject([{ id: mine }]);
  await events?.return(undefined);
});

it('a client that has seen no event yet continues from the start of its stream', async () => {
  const response = await send('/api/events', { headers: authorized() });
  const reader = response.body?.getReader();
  const [, place = ''] = /^id: (.+)$/m.exec(new TextDecoder().decode((await reader?.read())?.value)) ?? [];
  await reader?.cancel();
  const jobId = await submit(scene.account.metered);
  await fireAlarm(jobId);
  expect(jobsIn(await follow(1, place))).toMatchObject([{ id: jobId }]);
});

/** Inserts jobs of the account into the index, all changed at one time. Returns their ids. */
async function indexJobs(count: number, changedAt: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => crypto.randomUUID());
  await bindings.DB.prepare(
    `INSERT INTO jobs (id, account_id, clip_id, version, status, mode, priority, resolution, created_at, changed_at)
      SELECT value, ?, '', 1, 'pending', 'round', 0, 720, 0, ? FROM json_each(?)`,
  )
    .bind(scene.account.id, changedAt, JSON.stringify(ids))
    .run();
  return ids;
}

const HOUR_MS = 3_600_000;

it('300 changes of one millisecond come once each, and a stream continues after any of them', async () => {
  const ids = await indexJobs(300, Date.now() - HOUR_MS);
  const events = await follow(300, BEGINNING);
  const seen = jobsIn(events).map(({ id }) => id);
  expect([...seen].sort()).toEqual([...ids].sort());
  const rest = await follow(100, events[199]?.id ?? '');
  expect(jobsIn(rest).map(({ id }) => id)).toEqual(seen.slice(200));
});

it('after the clock of the database went back an hour, changes still come at once, in order and once', {
  tags: ['long'],
}, async () => {
  const [old = ''] = await indexJobs(1, Date.now() + HOUR_MS);
  const [last] = await follow(1, BEGINNING);
  expect(jobsIn(last ? [last] : [])).toMatchObject([{ id: old }]);
  const response = await send('/api/events', { headers: authorized() });
  const events = response.body ? readEvents(response.body, 60_000) : null;
  const changed = [await submit(scene.account.metered), await submit(scene.account.metered)];
  for (const jobId of changed) await fireAlarm(jobId);
  const next = [(await events?.next())?.value, (await events?.next())?.value] as StreamEvent[];
  await events?.return(undefined);
  expect(jobsIn(next).map(({ id }) => id)).toEqual(changed);
  expect(new Set(next.map(({ id }) => id?.split('_')[0])).size).toBe(2);
  expect(jobsIn(await follow(2, last?.id ?? '')).map(({ id }) => id)).toEqual(changed);
  // A position ahead of the whole index, as after the restore of a backup.
  const ahead = `${Date.now() + 9 * HOUR_MS}_${old}`;
  const resumed = follow(1, ahead);
  const after = await submit(scene.account.metered);
  await fireAlarm(after);
  expect(jobsIn(await resumed).map(({ id }) => id)).toEqual([after]);
});

describe('streams of an account', () => {
  const open = (signal?: AbortSignal) => send('/api/events', { headers: authorized(), ...(signal ? { signal } : {}) });
  const openMany = (count: number, signal?: AbortSignal) =>
    Promise.all(Array.from({ length: count }, () => open(signal)));
  const statuses = (answers: readonly Response[]) => answers.map(({ status }) => status).sort();
  const ALL = Array.from({ length: 20 }, () => 200);

  it('no longer count when their clients disconnect while nothing changes', async () => {
    const gone = new AbortController();
    const answers = await openMany(20, gone.signal);
    const readers = answers.map(({ body }) => body?.getReader());
    await Promise.all(readers.map((reader) => reader?.read()));
    const waiting = readers.map((reader) => reader?.read().catch(() => null));
    expect((await open()).status).toBe(429);
    gone.abort();
    const next = await open();
    expect(next.status).toBe(200);
    await next.body?.cancel();
    await Promise.all(waiting);
  });

  it('no longer count once their clients read nothing for a minute', async () => {
    expect(statuses(await openMany(20))).toEqual(ALL);
    vi.setSystemTime(Date.now() + 59_000);
    expect((await open()).status).toBe(429);
    vi.setSystemTime(Date.now() + 1000);
    const next = await open();
    expect(next.status).toBe(200);
    await next.body?.cancel();
  });

  it('end within 30 seconds when their key is revoked, those of one job too', async () => {
    const keys = `/admin/accounts/${scene.account.id}/keys`;
    const made = await sendJson(ADMIN_TOKEN, 'POST', keys, { kind: 'metered' });
    const { key, key_id } = await made.json<{ key: string; key_id: string }>();
    const jobId = await submit(key);
    const headers = { Authorization: `Bearer ${key}` };
    const paths = ['/api/events', `/api/jobs/${jobId}/events`];
    const answers = await Promise.all(paths.map((path) => send(path, { headers })));
    const texts = answers.map((answer) => answer.text());
    const other = await open();
    const reader = other.body?.getReader();
    expect((await sendJson(ADMIN_TOKEN, 'DELETE', `${keys}/${key_id}`)).status).toBe(204);
    vi.setSystemTime(Date.now() + 29_000);
    const [, ofJob] = await Promise.all(texts);
    expect(ofJob).toContain('"status":"pending"');
    expect((await reader?.read())?.done).toBe(false);
    await reader?.cancel();
  });

  it('end when their key is revoked also for an address that guesses', async () => {
    const keys = `/admin/accounts/${scene.account.id}/keys`;
    const made = await sendJson(ADMIN_TOKEN, 'POST', keys, { kind: 'metered' });
    const { key, key_id } = await made.json<{ key: string; key_id: string }>();
    const app = createApp(createService({ ...bindings, LIMIT_KEY_GUESSES: '1' } as typeof bindings));
    const ask = (path: string, token: string) =>
      app(new Request(BASE_URL + path, { headers: { Authorization: `Bearer ${token}` } }), createExecutionContext());
    const text = (await ask('/api/events', key)).text();
    const guess = () => ask('/api/jobs', formatSecret('metered', crypto.getRandomValues(new Uint8Array(64))) ?? '');
    expect([(await guess()).status, (await guess()).status]).toEqual([401, 429]);
    expect((await sendJson(ADMIN_TOKEN, 'DELETE', `${keys}/${key_id}`)).status).toBe(204);
    vi.setSystemTime(Date.now() + 11_000);
    expect(await text).toContain('retry: ');
  });

  it('break a minute after their end if their clients do not read it', { tags: ['long'] }, async () => {
    const getWriter = vi.spyOn(WritableStream.prototype, 'getWriter');
    const answer = await open();
    const writer: WritableStreamDefaultWriter = getWriter.mock.results.at(-1)?.value;
    const [close, abort] = [vi.spyOn(writer, 'close'), vi.spyOn(writer, 'abort')];
    vi.setSystemTime(Date.now() + HOUR_MS / 6);
    await expect.poll(() => close).toHaveBeenCalled();
    expect(abort).not.toHaveBeenCalled();
    vi.setSystemTime(Date.now() + 60_000);
    await expect.poll(() => abort).toHaveBeenCalled();
    await expect(answer.text()).rejects.toThrow();
  });

  it('end after ten minutes, those of one job after an hour', { tags: ['long'] }, async () => {
    const jobId = await submit(scene.account.metered);
    for (const [path, ms] of [
      ['/api/events', HOUR_MS / 6],
      [`/api/jobs/${jobId}/events`, HOUR_MS],
    ] as const) {
      const text = (await send(path, { headers: authorized() })).text();
      vi.setSystemTime(Date.now() + ms);
      expect(await text).toMatch(/^retry: /);
    }
  });
});
