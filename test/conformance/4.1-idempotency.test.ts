import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, expectInvalid, OTHER_PLAYER, parkedRequest, roundRequest } from './support/api.ts';
import { type Account, createAccount, failJob, grantOf, renderJob } from './support/service.ts';

let account: Account;
let other: Account;

beforeAll(async () => {
  account = await createAccount();
  other = await createAccount();
});

type Fields = Record<string, unknown>;

const post = (body: Fields, key = account.metered) => key.post('/api/clips', body);
const newKey = () => ({ idempotency_key: crypto.randomUUID() });
const jobIdOf = (answer: Answer) => String(answer.body.job_id);

/** Submits a request under a new key and finishes it. Returns the key and helpers. */
async function finishedJob(outcome: 'done' | 'error') {
  const key = newKey();
  const jobId = await account.metered.submit(roundRequest(key));
  const { lease } = outcome === 'done' ? await renderJob(jobId) : await failJob(jobId, 'no_kills_found');
  return { key, jobId, fence: lease.fence };
}

describe('4.1 idempotency', () => {
  describe('rule 2: a known key without force', () => {
    it('marks the answer as a replay, and reports whether the body differs from the stored one', async () => {
      const secret = { webhook_url: 'https://receiver.example.com/a', webhook_auth_header: 'Bearer a' };
      const commands = { spec_show_xray: '1', cl_draw_only_deathnotices: '1' };
      const body = parkedRequest({ ...newKey(), ...secret, commands, extras: { a: 1.0, b: 2 } });
      const tells = async (sent: Fields | string) => {
        const { status, headers } = await account.metered.post('/api/clips', sent);
        return [status, headers.get('Idempotent-Replayed'), headers.get('Idempotency-Body-Differs')];
      };
      expect(await tells(body)).toEqual([201, null, null]);
      const text = JSON.stringify(Object.fromEntries(Object.entries(body).reverse()), null, 2);
      expect(await tells(text)).toEqual([200, 'true', null]);
      const flipped = { cl_draw_only_deathnotices: '1', spec_show_xray: '1' };
      expect(await tells({ ...body, force: true, resolution: 1080, commands: flipped })).toEqual([200, 'true', null]);
      for (const other of [{ fps: 31 }, { extras: { a: 1, b: 3 } }, { webhook_auth_header: 'Bearer b' }]) {
        expect(await tells({ ...body, ...other })).toEqual([200, 'true', 'true']);
      }
    });

    it('is validated like any other request', async () => {
      const key = newKey();
      await account.metered.submit(parkedRequest(key));
      expectInvalid(await post(parkedRequest({ ...key, resolution: 720 })), 'resolution');
    });
  });

  describe('rule 4: a known key with force when the job has finished', () => {
    it.each([['done'], ['error']] as const)('queues the job again in place when it is %s', async (outcome) => {
      const { key, jobId } = await finishedJob(outcome);
      const { created_at } = await account.metered.job(jobId);
      const request = { ...parkedRequest(key), steam64_id: OTHER_PLAYER, resolution: 1440, extras: [1] };
      expect(await post({ ...request, force: true })).toMatchObject({ status: 200, body: { job_id: jobId } });
      expect(await account.metered.job(jobId)).toEqual({
        id: jobId,
        status: 'pending',
        priority: false,
        fps: 120,
        resolution: 1440,
        clip_id: null,
        error_code: null,
        created_at,
        finished_at: null,
        payload: { ...request, extras: '[1]' },
      });
    });
  });

  it('rule 6: the same key on two accounts makes two jobs', async () => {
    const key = newKey();
    const mine = await account.metered.submit(parkedRequest(key));
    const theirs = await other.metered.submit(parkedRequest(key));
    expect(theirs).not.toBe(mine);
    expect((await other.metered.get(`/api/jobs/${mine}`)).status).toBe(404);
    const forced = await other.metered.post('/api/clips', parkedRequest({ ...key, force: true }));
    expect(forced).toMatchObject({ status: 200, body: { job_id: theirs } });
  });

  it('keys differ if one character differs', async () => {
    const key = crypto.randomUUID();
    const ids = await Promise.all(
      [`${key}a`, `${key}A`, `${key}a `, `${key}é`, `${key}e\u0301`].map((idempotency_key) =>
        account.metered.submit(parkedRequest({ idempotency_key })),
      ),
    );
    expect(new Set(ids).size).toBe(5);
  });
});

describe('4.1 idempotency under concurrency', () => {
  const FIFTY = Array.from({ length: 50 }, (_, i) => i);

  async function race(bodies: Fields[]): Promise<{ ids: string[]; statuses: number[] }> {
    const answers = await Promise.all(bodies.map((body, i) => post(body, i % 2 ? account.reserved : account.metered)));
    return { ids: [...new Set(answers.map(jobIdOf))], statuses: answers.map(({ status }) => status).sort() };
  }

  it('of fifty requests, some with force, exactly one makes the job, and its payload stays', async () => {
    const key = newKey();
    const { ids, statuses } = await race(FIFTY.map((i) => parkedRequest({ ...key, force: i % 3 === 0, round: i + 1 })));
    expect(ids).toHaveLength(1);
    expect(statuses).toEqual([...Array(49).fill(200), 201]);
    const before = await account.metered.job(ids[0] ?? '');
    await race(FIFTY.map((i) => parkedRequest({ ...key, force: i % 2 === 0, round: i + 1 })));
    expect(await account.metered.job(ids[0] ?? '')).toEqual(before);
  });

  it('of fifty forced requests for a finished job one queues it again and the others change nothing', async () => {
    const { key, jobId, fence } = await finishedJob('done');
    const { ids, statuses } = await race(FIFTY.map((i) => roundRequest({ ...key, force: true, round: i + 1 })));
    expect({ ids, statuses }).toEqual({ ids: [jobId], statuses: Array(50).fill(200) });
    const grant = await grantOf(jobId, fence);
    expect(grant.lease.fence).toBe(fence + 1);
    const { payload } = await account.metered.job(jobId);
    expect(grant.order).toMatchObject({ selection: { round: (payload as Fields).round } });
  });
});
