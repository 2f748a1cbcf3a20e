import { allows, type Scope } from '#domain/account.ts';
import { reasonOf } from '#domain/reason.ts';
import { ProblemError } from '#http/problem.ts';
import { rateLimited } from '#http/rate-limit.ts';
import type { Around } from '#http/router.ts';
import { API_ROUTES, methodOf, type RouteTable } from '#protocol/routes.ts';
import type { Service } from '#service/service.ts';
import { type Caller, noteKeyUsed } from '#storage/accounts.ts';

/** How late the index may be with when a key was used. */
const USED_MS = 60 * 60_000;
/** What a key that may submit does beside reading. All else that changes something takes one that may manage. */
const SUBMIT: ReadonlySet<string> = new Set([
  ...['submitClip', 'submitBatch', 'cancelJob', 'resubmitJob', 'resendWebhook'],
  ...['inspectDemo', 'createUpload', 'sendUploadPart', 'completeUpload', 'deleteUpload'],
]);
const LINES: RouteTable = API_ROUTES;

/** Throws a problem where the caller may not ask for this, or not so often. */
export async function requireAdmission(
  { limits }: Pick<Service, 'limits'>,
  caller: Caller,
  name: string,
): Promise<void> {
  const requests = limits.requests.of(caller.limits.requests);
  const wait = await requests.take(caller.accountId);
  if (wait > 0) throw rateLimited(requests.policy, wait);
  const needed = scopeFor(name);
  if (!allows(caller.scope, needed)) {
    throw new ProblemError('forbidden', `This takes a key of scope ${needed}; this one is of scope ${caller.scope}.`);
  }
  if (needed === 'read' || caller.suspendedAt === null) return;
  throw new ProblemError('account_suspended', 'This account is suspended: it may read, and change nothing.');
}

function scopeFor(name: string): Scope {
  const line = LINES[name];
  if (line && methodOf(line) === 'GET') return 'read';
  return SUBMIT.has(name) ? 'submit' : 'manage';
}

/** Writes once an hour that a key is used. Nobody waits for it, and one that fails comes again with a later request. */
export function noteUse({ database, now, log }: Pick<Service, 'database' | 'now' | 'log'>): Around<Caller> {
  return (_, { caller, waitUntil }, answer) => {
    const at = now();
    if (caller.usedAt === null || at - caller.usedAt >= USED_MS) {
      caller.usedAt = at;
      const written = noteKeyUsed(database, caller.keyId, at, at - USED_MS);
      waitUntil(written.catch((error) => log('the use of a key was not noted', { error: reasonOf(error) })));
    }
    return answer();
  };
}
