import { beforeAll, describe, expect, inject, it } from 'vitest';
import { formatSecret } from '#domain/account/secret-key.ts';
import { PICTURES } from '../support/pictures.ts';
import { expectProblem, parkedRequest, roundRequest, send } from './support/api.ts';
import { type Account, BASE_URL, createAccount, renderedClip } from './support/service.ts';

describe('authentication', () => {
  const { hostToken } = inject('service');

  let account: Account;
  let jobId: string;
  let clipId: string;

  beforeAll(async () => {
    account = await createAccount();
    ({ jobId, clipId } = await renderedClip(account.metered, roundRequest()));
  });

  /**
   * The endpoints of section 4, row by row, then those that the service adds. `JOB` and `CLIP` stand for existing ids.
   */
  const ENDPOINTS = [
    ['POST', '/api/clips'],
    ['GET', '/api/jobs/JOB'],
    ['POST', '/api/jobs/JOB/resubmit'],
    ['POST', '/api/jobs/JOB/resend-webhook'],
    ['GET', '/api/clips/CLIP'],
    ['POST', '/api/clips/CLIP/save'],
    ['POST', '/api/clips/CLIP/unsave'],
    ['DELETE', '/api/clips/CLIP'],
    ['GET', '/api/jobs'],
    ['GET', '/api/clips'],
    ['GET', '/api/jobs/JOB/deliveries'],
    ['GET', '/api/jobs/JOB/events'],
    ['GET', '/api/usage'],
    ['GET', '/api/assets'],
    ['POST', '/api/assets'],
  ] as const;

  const urlOf = (path: string) => BASE_URL + path.replace('JOB', jobId).replace('CLIP', clipId);

  /** Well formed, but never issued. */
  const UNKNOWN_KEY = formatSecret('metered', new Uint8Array(64));

  describe('5 rule 1: every endpoint requires a bearer key (core/http/credentials.test.ts has wrong ones)', () => {
    async function expectUnauthorized(method: string, path: string, authorization: string | null): Promise<void> {
      const headers: Record<string, string> = authorization === null ? {} : { Authorization: authorization };
      if (method === 'POST') headers['Content-Type'] = 'application/json';
      const body = method === 'POST' ? JSON.stringify(parkedRequest()) : null;
      const answer = await send(urlOf(path), { method, headers, body });
      expectProblem(answer, 401);
      expect(answer.headers.get('WWW-Authenticate')).toMatch(/^Bearer\b/);
    }

    it.each(ENDPOINTS)('%s %s: 401', async (method, path) => {
      await expectUnauthorized(method, path, null);
      await expectUnauthorized(method, path, `Bearer ${UNKNOWN_KEY}`);
      await expectUnauthorized(method, path, `Bearer ${hostToken}`);
    });

    it.each(['Bearer', 'bearer', 'BEARER', 'Bearer  '])('the scheme is not case-sensitive: %s', async (scheme) => {
      const headers = { Authorization: `${scheme} ${account.metered.key}` };
      expect((await send(urlOf('/api/jobs/JOB'), { headers })).status).toBe(200);
    });

    it('the key is checked before the path, the id, the body and its type', async () => {
      expectProblem(await send(`${BASE_URL}/api/jobs/nothing`), 401);
      expectProblem(await send(urlOf('/api/clips'), { method: 'POST', body: 'x'.repeat(10) }), 401);
    });

    it('an API key is refused by the gateway and the operators’ API', async () => {
      for (const key of [account.metered, account.reserved]) {
        expectProblem(await key.post('/gateway/v1/claim', {}), 401);
        expectProblem(await key.get('/admin/accounts'), 401);
      }
    });
  });

  describe('5 rules 2 and 3: the kind of key selects the kind of job; both kinds of key read and resubmit every job of the account', () => {
    it.each([
      ['metered', 'reserved'],
      ['reserved', 'metered'],
    ] as const)('%s submits, %s reads and resubmits', async (submits, asks) => {
      const done = await renderedClip(account[submits], roundRequest());
      expect(await account[asks].job(done.jobId)).toMatchObject({ status: 'done', priority: submits === 'reserved' });
      expect((await account[asks].post(`/api/jobs/${done.jobId}/resubmit`)).status).toBe(200);
    });
  });
});

describe('other accounts', () => {
  /** Ids of each kind; `npx node test/soak/cli.ts hostile` asks for more. */
  const IDS = Number(process.env.CROSS_ACCOUNT_IDS ?? 5);
  /** The number of concurrent requests. */
  const ABREAST = 8;

  type Kind = 'jobs' | 'clips' | 'assets';

  /** Ids that no object can have. */
  const IMPOSSIBLE = ['x', '1', 'null', '%00', '..%2f..', 'é', `${crypto.randomUUID()}0`];

  /** Every address of the client API with an id in it. */
  const ROUTES = [
    ['GET', 'jobs', ''],
    ['POST', 'jobs', '/resubmit'],
    ['POST', 'jobs', '/resend-webhook'],
    ['GET', 'jobs', '/deliveries'],
    ['GET', 'jobs', '/events'],
    ['GET', 'clips', ''],
    ['POST', 'clips', '/save'],
    ['POST', 'clips', '/unsave'],
    ['DELETE', 'clips', ''],
    ['GET', 'assets', ''],
    ['DELETE', 'assets', ''],
  ] as const satisfies [string, Kind, string][];

  let account: Account;
  let other: Account;
  let foreign: Record<Kind, string[]>;

  beforeAll(async () => {
    account = await createAccount();
    other = await createAccount();
    foreign = { jobs: [], clips: [], assets: [] };
    await inParallel(IDS, async (i) => {
      if (i % 2 === 0)
        foreign.jobs.push(await other.metered.submit(parkedRequest({ webhook_url: 'http://127.0.0.1:1/' })));
      const { jobId, clipId } = await renderedClip(other.metered, roundRequest());
      if (i % 2 === 1) foreign.jobs.push(jobId);
      foreign.clips.push(clipId);
      const headers = { Authorization: `Bearer ${other.metered.key}`, 'Content-Type': 'image/png' };
      const url = `${BASE_URL}/api/assets?kind=watermark`;
      const { body } = await send(url, { method: 'POST', headers, body: PICTURES.png });
      foreign.assets.push(String(body.id));
    });
  }, 300_000);

  async function inParallel(count: number, work: (i: number) => Promise<void>): Promise<void> {
    let next = 0;
    const worker = async () => {
      while (next < count) await work(next++);
    };
    await Promise.all(Array.from({ length: ABREAST }, worker));
  }

  async function stateOfOther(): Promise<unknown[]> {
    const states: unknown[] = [];
    for (const [kind, ids] of Object.entries(foreign)) {
      for (const id of ids) states.push((await other.metered.get(`/api/${kind}/${id}`)).body);
    }
    return states;
  }

  describe('4.2 to 4.7, 5 rule 4 and 7.1: an id of another account', () => {
    it('gets the 404 of an id that does not exist, on every route, and its job or clip does not change', async () => {
      const before = await stateOfOther();
      let requests = 0;
      for (const [method, kind, action] of ROUTES) {
        const unknown = Array.from({ length: IDS }, () => crypto.randomUUID());
        const ids = [...foreign[kind], ...unknown, ...IMPOSSIBLE];
        const bodies = new Set<string>();
        await inParallel(ids.length, async (i) => {
          const key = i % 3 === 0 ? account.reserved : account.metered;
          const answer = await key.call(method, `/api/${kind}/${ids[i]}${action}`);
          const { request_id } = expectProblem(answer, 404);
          bodies.add(answer.text.replace(request_id, ''));
          requests++;
        });
        expect([...bodies], `${method} ${kind}${action}`).toHaveLength(1);
      }
      if (process.env.CROSS_ACCOUNT_IDS !== undefined) process.stdout.write(`${requests} requests, each a 404\n`);
      expect(await stateOfOther()).toEqual(before);
    }, 300_000);
  });
});
