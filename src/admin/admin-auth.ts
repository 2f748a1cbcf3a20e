import { mayAct, type Operator, type Role } from '../../domain/operator.ts';
import { bearerToken, createAuthenticator, unauthorized } from '../../http/credentials.ts';
import { notFound, ProblemError } from '../../http/problem.ts';
import { sha256Hex } from '../../platform/digest.ts';
import { methodOf, type RouteTable } from '../../protocol/routes.ts';
import { keyGuesses } from '../../render-gateway/key-guesses.ts';
import type { Service } from '../../service/service.ts';
import { findOperator } from '../../storage/operators.ts';
import { createSessions } from './session.ts';

/** What the deployment's own token stands for. */
const ROOT: Operator = { id: null, name: 'ADMIN_TOKEN', role: 'admin' };

/** What changes something, and needs no administrator. What only reads, every operator may do. */
const OPERATE: ReadonlySet<string> = new Set(['changeHost', 'resendTroubles', 'cancelAnyJob', 'cancelAccount']);

export type IdentifyOperator = (request: Request) => Promise<Operator>;

/**
 * Finds out which operator asks: by the deployment's own token, by one of their own, or by the session of a console.
 * Digests are compared, not the tokens, so the time taken tells nothing of how much of a guess was right. Without a
 * configured token there is no admin API at all.
 */
export function identifyOperators(service: Service): IdentifyOperator {
  const { database, settings, now } = service;
  const lookUp = (sha256: string) => findOperator(database, sha256);
  const byToken = createAuthenticator(['operator'], lookUp, now, keyGuesses(service));
  const sessions = createSessions(service);
  return async (request) => {
    const { adminToken } = settings;
    if (adminToken === null) throw notFound();
    const token = bearerToken(request);
    if (token === null) {
      const id = await sessions.read(request);
      const operator = id === undefined ? null : id === null ? ROOT : await sessions.operator(id);
      if (operator === null) throw unauthorized();
      return operator;
    }
    return (await sha256Hex(token)) === (await sha256Hex(adminToken)) ? ROOT : byToken(request);
  };
}

/** Lets a monitor in that shows the token for scraping; without a configured one there is nothing to scrape. */
export async function admitMonitor({ metricsToken }: Service['settings'], request: Request): Promise<null> {
  if (metricsToken === null) throw notFound();
  const token = bearerToken(request);
  if (token === null || (await sha256Hex(token)) !== (await sha256Hex(metricsToken))) throw unauthorized();
  return null;
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
