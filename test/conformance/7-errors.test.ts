import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Call,
  expectInvalid,
  expectProblem,
  parkedRequest,
  roundRequest,
  send,
  UUID,
} from './support/api.ts';
import { type Account, BASE_URL, createAccount, createReceiver, failJob, renderedClip } from './support/service.ts';

const LIMIT = 256 * 1024;

let account: Account;

beforeAll(async () => {
  account = await createAccount();
});

/** Posts a body that need not be JSON, with a content type of choice. */
function post(body: Call['body'], type: string | null = 'application/json'): Promise<Answer> {
  const headers: Record<string, string> = { Authorization: `Bearer ${account.metered.key}` };
  if (type !== null) headers['Content-Type'] = type;
  return send(`${BASE_URL}/api/clips`, { method: 'POST', headers, body: body ?? null });
}

const submit = (fields: Record<string, unknown>) => account.metered.post('/api/clips', parkedRequest(fields));

/** The statuses themselves are with their endpoints: 4.1 has the 400s, 4.2 the 409s, 5 the 404s. */
describe('7.1 errors that the contract does not define', () => {
  it('an error is a problem (RFC 9457) under the id of its request', async () => {
    const problem = expectProblem(await submit({ fps: 4 }), 400);
    expect(Object.keys(problem).sort()).toEqual(['detail', 'error', 'errors', 'request_id', 'status', 'title', 'type']);
    expect(problem.request_id).toMatch(UUID);
    expect(problem.errors).toEqual([{ path: 'fps', message: expect.stringContaining('5') }]);
  });

  it('a problem names the first hundred of more broken rules, and counts the rest', async () => {
    const fields = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`unknown${i}`, i]));
    const { errors, detail } = expectProblem(await submit(fields), 400);
    expect(errors).toHaveLength(100);
    expect(detail).toContain('4999 more');
  });

  it('every answer has a request id of its own', async () => {
    const { jobId, clipId } = await renderedClip(account.metered, roundRequest());
    const answers = [
      await account.metered.get(`/api/jobs/${jobId}`),
      await account.metered.post(`/api/clips/${clipId}/save`),
      await account.metered.get(`/clips/${clipId}`),
      await account.metered.get('/nowhere'),
    ];
    const ids = answers.map(({ headers }) => headers.get('X-Request-Id'));
    for (const id of ids) expect(id).toMatch(UUID);
    expect(new Set(ids).size).toBe(answers.length);
  });

  it.each([['/api'], ['/api/nothing'], ['/api/jobs/a/b/c'], ['/api/clips/%'], ['/API/clips'], ['/admin']])(
    '404 for an unknown path: %s',
    async (path) => {
      expectProblem(await account.metered.get(path), 404);
    },
  );

  it.each([
    ['/api/clips', ['PUT', 'PATCH', 'DELETE', 'OPTIONS'], ['GET', 'HEAD', 'POST']],
    ['/api/jobs', ['POST', 'DELETE'], ['GET', 'HEAD']],
    ['/api/jobs/ID', ['POST', 'PUT', 'PATCH', 'DELETE'], ['GET', 'HEAD']],
    ['/api/jobs/ID/resubmit', ['GET', 'PUT', 'DELETE'], ['POST']],
    ['/api/jobs/ID/resend-webhook', ['GET', 'PUT', 'DELETE'], ['POST']],
    ['/api/clips/ID', ['POST', 'PUT', 'PATCH'], ['DELETE', 'GET', 'HEAD']],
    ['/api/clips/ID/save', ['GET', 'PUT', 'DELETE'], ['POST']],
    ['/api/clips/ID/unsave', ['GET', 'PUT', 'DELETE'], ['POST']],
  ])('405 for another method on %s, with those that are allowed', async (path, methods, allowed) => {
    for (const method of methods) {
      const answer = await account.metered.call(method, path.replace('ID', crypto.randomUUID()));
      expectProblem(answer, 405);
      expect(answer.headers.get('Allow')?.split(', ').sort()).toEqual(allowed);
    }
  });

  it.each([
    ['/api/jobs', 'status=done&status=error', 'status'],
    ['/api/clips', 'limit=1&limit=1', 'limit'],
    ['/api/assets', 'cursor=&kind=outro&kind=outro', 'kind'],
    ['/oembed', 'url=x&url=y', 'url'],
    ['/api/jobs', 'created_from=2026-02-01T00:00:00Z&created_to=2026-01-01T00:00:00Z', 'created_from'],
    ['/api/clips', 'created_from=2026-02-01T00:00:00Z&created_to=2026-01-01T00:00:00Z', 'created_from'],
    ['/api/assets', 'created_from=2026-02-01T00:00:00Z&created_to=2026-01-01T00:00:00Z', 'created_from'],
    ['/api/usage', 'from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'from'],
  ])('400 for a query that contradicts itself: %s?%s', async (path, query, name) => {
    expectInvalid(await account.metered.get(`${path}?${query}`), name);
  });

  it.each([['x/y'], ['x'], [`${crypto.randomUUID()}/nothing`]])(
    'at /clips/%s a browser gets a page, and a client that prefers JSON a problem',
    async (path) => {
      const at = (Accept: string) => send(`${BASE_URL}/clips/${path}`, { headers: { Accept } });
      const page = await at('text/html,application/xhtml+xml,*/*;q=0.8');
      expect([page.status, page.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8']);
      expectProblem(await at('application/json'), 404);
    },
  );

  it.each([[null], ['text/plain']])('415 for the content type %s', async (type) => {
    // `fetch` adds a content type to a string.
    expectProblem(await post(new TextEncoder().encode(JSON.stringify(parkedRequest())), type), 415);
  });

  it('a body of 256 KiB is accepted, and a longer one refused', async () => {
    const sized = (bytes: number) => {
      const empty = JSON.stringify(parkedRequest({ extras: '' }));
      return JSON.stringify(parkedRequest({ extras: 'x'.repeat(bytes - empty.length) }));
    };
    expect((await post(sized(LIMIT))).status).toBe(201);
    expectProblem(await post(sized(LIMIT + 1)), 413);
  });

  it('413 for a body without a length as soon as it is too long, even if it never ends', async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(' '.repeat(LIMIT + 1))),
      pull: () => new Promise(() => {}),
    });
    expectProblem(await post(body), 413);
  });

  it('a body without a length is accepted if it is short enough', async () => {
    const body = new Blob([JSON.stringify(parkedRequest())]).stream();
    expect((await post(body)).status).toBe(201);
  });

  it.each([[''], ['{"fps":NaN}'], ['['.repeat(200_000)], ['[]'], ['null']])(
    '400 for what is no object of JSON: %.30s (core/http/read-body.test.ts has every case)',
    async (body) => {
      expectInvalid(await post(body), '');
    },
  );

  it('400 for what is not UTF-8', async () => {
    expectInvalid(await post(Uint8Array.from([...new TextEncoder().encode('{"extras":"'), 0xff, 0x22, 0x7d])), '');
  });

  it('400 for a field that is sent twice', async () => {
    const body = JSON.stringify(parkedRequest()).replace(/}$/, ',"idempotency_key":"a","idempotency_k\\u0065y":"b"}');
    expectInvalid(await post(body), 'idempotency_key');
  });

  it('400 for objects nested a hundred thousand deep', async () => {
    const deep = '{"a":'.repeat(40_000) + '1'.concat('}'.repeat(40_000));
    expectInvalid(await post(JSON.stringify(parkedRequest()).replace(/}$/, `,"commands":${deep}}`)), 'commands.a');
  });
});

describe('7.2 error codes', () => {
  /** core/domain/failure.test.ts has which codes are final, and 3.1-automatic-retries.test.ts the others. */
  it.each(['demo_404', 'render_failed'])('%s is final, on the job and in its webhook', async (code) => {
    const receiver = await createReceiver();
    const jobId = await account.metered.submit(roundRequest({ webhook_url: receiver.url }));
    await failJob(jobId, code);
    expect(await account.metered.job(jobId)).toMatchObject({ status: 'error', error_code: code });
    expect((await receiver.arrival(0)).body).toMatchObject({ event: 'job.failed', error_code: code });
  });
});
