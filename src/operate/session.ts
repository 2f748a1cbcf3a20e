import type { Operator } from '#domain/operate/operator.ts';
import { bearerToken, unauthorized } from '#http/credentials.ts';
import { ProblemError } from '#http/problem.ts';
import { sha256Hex, toHex } from '#platform/digest.ts';
import { ConsoleSession } from '#protocol/operate/operate.ts';
import { keyGuesses } from '#service/lib/admission.ts';
import { answer, operation, type Words } from '#service/lib/operation.ts';
import { perService } from '#service/lib/service.ts';
import { deleteSessions, findSession, insertSession } from '#storage/operate/operators.ts';

const SESSION_MS = 60 * 60_000;

interface Sessions {
  /**
   * Begins a session and returns the header that sets its cookie. `id`: null for the deployment's own token. Throws a
   * 403 problem for another page, whose changes would all be refused.
   */
  begin(request: Request, id: string | null): Promise<string>;
  /** Ends the session of a request and returns the header that removes its cookie. */
  end(request: Request): Promise<string>;
  /**
   * Returns the operator of a request's session: null for the deployment's own token, undefined if there is no session.
   * Throws a 403 problem for a change from another origin, and a 429 problem for an address that guesses.
   */
  read(request: Request): Promise<Operator | null | undefined>;
}

/**
 * Creates the sessions of the console, in a cookie that no script can read and no other site sends. Under https, its
 * name keeps other domains from setting it. Each cookie of the name is tried, because one may be foreign all the same.
 * The cookie is random. The database stores a digest of the cookie and the deployment's token, so a change of that token
 * ends all sessions. Each request reads the database, so an ended session is refused everywhere at once.
 */
export const sessionsOf = perService((service): Sessions => {
  const { settings, database, now } = service;
  const guesses = keyGuesses(service);
  const { origin, protocol } = new URL(settings.baseUrl);
  // Browsers refuse both under http.
  const [prefix, secure] = protocol === 'https:' ? ['__Host-', '; Secure'] : ['', ''];
  const name = `${prefix}tickreel_console`;
  const cookie = new RegExp(`(?<=^|; )${name}=([0-9a-f]{64})(?=;|$)`, 'g');
  const flags = `Path=/; HttpOnly; SameSite=Strict${secure}`;
  const digestOf = (secret = '') => sha256Hex(`${secret} ${settings.adminToken}`);
  /** Returns the digest of each cookie that may be the session's. */
  const digestsOf = ({ headers }: Request) =>
    Promise.all([...(headers.get('Cookie') ?? '').matchAll(cookie)].map(([, secret]) => digestOf(secret)));

  /** Compares with the public address: behind a proxy that ends TLS, the request itself has another. */
  const refuseOthers = ({ headers }: Request) => {
    if (headers.get('Origin') === origin) return;
    throw new ProblemError('forbidden', `Only the console itself, at ${origin}, may change something.`);
  };

  return {
    async begin(request, operatorId) {
      refuseOthers(request);
      const secret = toHex(crypto.getRandomValues(new Uint8Array(32)));
      const session = { sha256: await digestOf(secret), operatorId, expiresAt: now() + SESSION_MS };
      await insertSession(database, session, now());
      return `${name}=${secret}; Max-Age=${SESSION_MS / 1000}; ${flags}`;
    },

    async end(request) {
      await deleteSessions(database, await digestsOf(request));
      return `${name}=; Max-Age=0; ${flags}`;
    },

    async read(request) {
      const digests = await digestsOf(request);
      if (digests.length === 0) return undefined;
      const operator = await findSession(database, digests, now());
      // A cookie is too long to guess, so a valid one is accepted even from an address over the limit.
      if (operator === undefined) {
        const address = guesses.addressOf(request);
        guesses.refuse(address);
        await guesses.count(address);
      } else if (!['GET', 'HEAD'].includes(request.method)) refuseOthers(request);
      return operator;
    },
  };
});

export const getSession = operation({
  route: 'GET /console/session',
  scope: 'session',
  answers: { 200: ConsoleSession },
  handler: (_, { caller: { name, role }, reply }) => reply(200, { name, role }),
});

export const beginSession = operation({
  route: 'POST /console/session',
  scope: 'session',
  answers: { 200: ConsoleSession },
  handler: async (service, { request, caller: { id, name, role }, reply }) => {
    // Only a token begins a session: a cookie must not extend its own past the hour.
    if (bearerToken(request) === null) throw unauthorized('A session begins with a token.');
    return reply(200, { name, role }, { 'Set-Cookie': await sessionsOf(service).begin(request, id) });
  },
});

export const endSession = operation({
  route: 'DELETE /console/session',
  scope: 'session',
  answers: { 204: null },
  handler: async (service, { request, reply }) => {
    return reply(204, null, { 'Set-Cookie': await sessionsOf(service).end(request) });
  },
});

export const words = (): Words => ({
  getSession: {
    summary: 'Read the session of the console',
    description: 'Returns the operator of a session cookie or a token.',
    answers: { 200: answer('The operator of the session.', { name: 'Ada', role: 'operate' }) },
  },
  beginSession: {
    summary: 'Begin a session of the console',
    description:
      'Needs a token: a session cannot begin another. The answer sets a cookie that is valid for an hour and that no script can read.',
    answers: { 200: answer('The operator who signed in.', { name: 'Ada', role: 'operate' }) },
  },
  endSession: {
    summary: 'End a session of the console',
    description: 'Removes the cookie. The session is refused from now on.',
    answers: { 204: { description: 'The session is over.' } },
  },
});
