import { mayAct, type Operator, type Role } from '#domain/operator.ts';
import { bearerToken, createAuthenticator, unauthorized } from '#http/credentials.ts';
import { notFound, ProblemError } from '#http/problem.ts';
import { sha256Hex } from '#platform/digest.ts';
import { methodOf, type RouteTable } from '#protocol/routes.ts';
import { keyGuesses } from '#render-gateway/key-guesses.ts';
import type { Service } from '#service/service.ts';
import { findOperator } from '#storage/operators.ts';
import { createSessions } from './session.ts';

/** What the deployment's own token stands for. */
const ROOT: Operator = { id: null, name: 'ADMIN_TOKEN', role: 'admin' };

/** What changes something, and needs no administrator. What only reads, every operator may do. */
const OPERATE: ReadonlySet<string> = new Set(['changeHost', 'resendTroubles', 'cancelAnyJob', 'cancelAccount']);

export type IdentifyOperator = (request: Request) => Promise<Operator>;

/**
 * Finds out which operator asks: by the deployment's own token, by one of their own, or by the session of a console.
 * Digests are compared, not the tokens, so the time taken tells nothing of how much of a guess was right. Guesses are
 * limited by address. Without a configured token there is no admin API at all.
 */
export function identifyOperators(service: Service): IdentifyOperator {
  const { database, settings, now } = service;
  const { adminToken } = settings;
  if (adminToken === null) return () => Promise.reject(notFound());
  const lookUp = async (sha256: string) =>
    sha256 === (await sha256Hex(adminToken)) ? ROOT : findOperator(database, sha256);
  const byToken = createAuthenticator(null, lookUp, now, keyGuesses(service));
  const sessions = createSessions(service);
  return async (request) => {
    if (bearerToken(request) !== null) return byToken(request);
    const operator = await sessions.read(request);
    if (operator === undefined) throw unauthorized();
    return operator ?? ROOT;
  };
}

/**
 * Admits a monitor with the token for scraping, and limits guesses by address. Without a configured token, all get 404.
 */
export function admitMonitors(service: Service): (request: Request) => Promise<null> {
  const { metricsToken } = service.settings;
  if (metricsToken === null) return () => Promise.reject(notFound());
  const lookUp = async (sha256: string) => (sha256 === (await sha256Hex(metricsToken)) ? true : null);
  const byToken = createAuthenticator(null, lookUp, service.now, keyGuesses(service));
  return async (request) => {
    await byToken(request);
    return null;
  };
}

/** Lets an operator do what their role allows. */
export function admitOperators(
  identify: IdentifyOperator,
  table: RouteTable,
): (request: Request, name: string) => Promise<Operator> {
  return async (request, name) => {
    const operator = await identify(request);
    const needed = neededFor(name, table);
    if (mayAct(operator, needed)) return operator;
    throw new ProblemError('forbidden', `This takes an operator of role ${needed}; yours is ${operator.role}.`);
  };
}

function neededFor(name: string, table: RouteTable): Role {
  const line = table[name];
  if (line && methodOf(line) === 'GET') return 'read';
  return OPERATE.has(name) ? 'operate' : 'admin';
}
