import { beforeAll, describe, expect, it } from 'vitest';
import { hostOf } from '../support/host.ts';
import { fireAlarm } from '../support/scenario.ts';
import { bindings, createAccount, createHost, sendJson, submit, type TestAccount } from '../support/service.ts';

interface Page {
  readonly jobs: { id: string; status: string; clip_id: string | null }[];
  readonly clips: { id: string; job_id: string; is_saved: boolean }[];
  readonly next_cursor: string | null;
}

let account: TestAccount;
/** Sorts by time, the newest first. */
let jobIds: string[];
let doneId: string;

beforeAll(async () => {
  account = await createAccount();
  const host = hostOf(await createHost());
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.push(await submit(account.metered, i === 0 ? timeline() : {}));
  doneId = await submit(account.reserved, { fps: 60 });
  await host.finish(await host.claimJob(doneId));
  for (const id of [...ids, doneId]) await fireAlarm(id);
  const { results } = await bindings.DB.prepare(
    'SELECT id FROM jobs WHERE account_id = ? ORDER BY created_at DESC, id DESC',
  )
    .bind(account.id)
    .all<{ id: string }>();
  jobIds = results.map(({ id }) => id);
  expect(jobIds).toHaveLength(6);
});

function timeline() {
  return { steam64_id: undefined, timeline: [{ steam64_id: '1', start_tick: 0, end_tick: 64 }] };
}

async function get(path: string): Promise<Page> {
  const response = await sendJson(account.metered, 'GET', path);
  expect(response.status).toBe(200);
  return response.json<Page>();
}

describe('lists', () => {
  it('give all jobs page by page, newest first, none twice', async () => {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Page = await get(`/api/jobs?limit=2${cursor && `&cursor=${cursor}`}`);
      expect(page.jobs.length).toBeLessThanOrEqual(2);
      seen.push(...page.jobs.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(jobIds);
  });

  it('filter jobs by status, mode and time', async () => {
    const done = await get('/api/jobs?status=done');
    expect(done.jobs).toMatchObject([{ id: doneId, status: 'done', clip_id: expect.any(String) }]);
    expect((await get('/api/jobs?mode=timeline')).jobs).toHaveLength(1);
    expect((await get('/api/jobs?mode=round')).jobs).toHaveLength(5);
    expect((await get('/api/jobs?created_to=2020-01-01T00:00:00Z')).jobs).toEqual([]);
    expect((await get('/api/jobs?created_from=2020-01-01T00:00:00Z')).jobs).toHaveLength(6);
  });

  it('filter clips by whether they are saved', async () => {
    expect((await get('/api/clips')).clips).toMatchObject([{ job_id: doneId, is_saved: false }]);
    expect((await get('/api/clips?saved=true')).clips).toEqual([]);
    expect((await get('/api/clips?saved=false&state=ready')).clips).toHaveLength(1);
  });

  it('show an account only what is its own', async () => {
    const other = await createAccount();
    for (const path of ['/api/jobs', '/api/clips']) {
      const page = await (await sendJson(other.metered, 'GET', path)).json<Page>();
      expect(page.jobs ?? page.clips).toEqual([]);
    }
  });
});

describe('usage', () => {
  it('ends no earlier than it begins, also for a clock that is ahead', async () => {
    const response = await sendJson(account.metered, 'GET', '/api/usage?from=2999-01-01T00:00:00Z');
    expect(await response.json()).toEqual({
      from: '2999-01-01T00:00:00.000Z',
      to: '2999-01-01T00:00:00.000Z',
      usage: [],
    });
  });

  it('counts whole days and names the range', async () => {
    const response = await sendJson(
      account.metered,
      'GET',
      '/api/usage?from=2026-01-02T12:00:00Z&to=2026-01-03T00:00:01Z',
    );
    expect(await response.json()).toMatchObject({ from: '2026-01-02T00:00:00.000Z', to: '2026-01-04T00:00:00.000Z' });
  });

  it('adds up what was rendered by tier, resolution and frame rate', async () => {
    const response = await sendJson(account.metered, 'GET', '/api/usage');
    expect(await response.json()).toMatchObject({
      usage: [{ tier: 'reserved', resolution: 1080, fps: 60, rendered_seconds: 7.5 }],
    });
  });
});
