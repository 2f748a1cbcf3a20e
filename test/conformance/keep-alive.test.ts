import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { type Account, BASE_URL, createAccount } from './support/service.ts';

const { hostToken } = inject('service');
const MEGABYTE = 1_000_000;
const ROUNDS = 8;

let account: Account;

beforeAll(async () => {
  account = await createAccount();
});

/** The status, or the error code of the connection. */
type Outcome = number | string | undefined;

/** Creates a connection that is reused, like a pool of a client. */
function createConnection() {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const sockets = new Set<unknown>();
  return {
    sockets,
    send: (method: string, path: string, headers: OutgoingHttpHeaders, body?: Uint8Array) =>
      new Promise<Outcome>((resolve) => {
        const outgoing = request(BASE_URL + path, { method, agent, headers }, (response) => {
          response.once('error', ({ message }) => resolve(message)).once('end', () => resolve(response.statusCode));
          response.resume();
        });
        outgoing.once('socket', (socket) => sockets.add(socket));
        outgoing.on('error', ({ message }) => resolve(message)).end(body);
      }),
  };
}

const bytes = (length: number) => new Uint8Array(length).fill(0x20);
const JSON_TYPE = { 'Content-Type': 'application/json' };
const unknown = `/api/jobs/${crypto.randomUUID()}`;

describe('a connection can be reused after an answer that did not need the body', () => {
  const key = () => ({ Authorization: `Bearer ${account.metered.key}` });
  const CASES = [
    ['401 for a submit without a key', 401, 'POST', '/api/clips', () => JSON_TYPE, 200_000],
    [
      '401 for a part of an upload without a token',
      401,
      'PUT',
      '/gateway/v1/jobs/x/uploads/part',
      () => ({}),
      MEGABYTE,
    ],
    ['404 for an address that is not there', 404, 'POST', '/api/nothing', key, 200_000],
    ['404 for a job that is not there', 404, 'POST', `${unknown}/resubmit`, key, 200_000],
    ['405 for another method', 405, 'PUT', '/api/clips', key, 200_000],
    [
      '415 for another content type',
      415,
      'POST',
      '/api/clips',
      () => ({ ...key(), 'Content-Type': 'text/plain' }),
      200_000,
    ],
    ['413 for 5 MB', 413, 'POST', '/api/clips', () => ({ ...key(), ...JSON_TYPE }), 5 * MEGABYTE],
    ['404 for a DELETE with a body', 404, 'DELETE', unknown.replace('jobs', 'clips'), key, 200_000],
    [
      '404 for a report with a body that nobody reads',
      404,
      'POST',
      '/gateway/v1/jobs/x/fail',
      () => ({ Authorization: `Bearer ${hostToken}` }),
      200_000,
    ],
    ['200 for a GET with a body', 200, 'GET', '/api/jobs', key, 200_000],
  ] as const;

  describe.each(['with a length', 'in chunks'])('%s', (framing) => {
    it.each(CASES)('%s', async (_, status, method, path, headers, length) => {
      const { send, sockets } = createConnection();
      // Node frames the body of a GET or a DELETE only with an explicit header.
      const frame = framing === 'in chunks' ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': length };
      const outcomes: Outcome[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        outcomes.push(await send(method, path, { ...headers(), ...frame }, bytes(length)));
        outcomes.push(await send('GET', '/api/usage', key()));
      }
      expect(outcomes).toEqual(Array.from({ length: ROUNDS }, () => [status, 200]).flat());
      expect(sockets.size).toBe(1);
    });
  });
});
