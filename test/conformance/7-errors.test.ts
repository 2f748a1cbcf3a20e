import { beforeAll, describe, expect, it } from 'vitest';
import { expectProblem, parkedRequest, UUID } from './support/api.ts';
import { type Account, createAccount } from './support/service.ts';

const LIMIT = 256 * 1024;

let account: Account;

beforeAll(async () => {
  account = await createAccount();
});

const submit = (fields: Record<string, unknown>) => account.metered.post('/api/clips', parkedRequest(fields));

/** The statuses are with their endpoints. core/http/read-body.test.ts has every body that is refused. */
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

  it('a body of 256 KiB is accepted, and a longer one refused', async () => {
    const sized = (bytes: number) => {
      const empty = JSON.stringify(parkedRequest({ extras: '' }));
      return JSON.stringify(parkedRequest({ extras: 'x'.repeat(bytes - empty.length) }));
    };
    expect((await account.metered.post('/api/clips', sized(LIMIT))).status).toBe(201);
    expectProblem(await account.metered.post('/api/clips', sized(LIMIT + 1)), 413);
  });
});
