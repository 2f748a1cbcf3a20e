import { ProblemError } from '#http/problem.ts';
import type { Context } from '#http/router.ts';
import type { Demo } from '#protocol/demos.ts';
import { href } from '#protocol/routes.ts';
import { UPLOAD_ROUTE } from '#protocol/uploads.ts';
import { forgetUpload } from '#render-gateway/receive-demo.ts';
import { beginInspection } from '#service/inspect-demo.ts';
import type { Service } from '#service/service.ts';
import { jobIdOfKey } from '#service/submit-one.ts';
import type { Caller } from '#storage/accounts.ts';
import { hasResolver } from '#storage/hosts.ts';
import { findUpload } from '#storage/uploads.ts';
import { addUpload } from './uploads.ts';

/** Like the prefix of inspections: no idempotency key begins with it. */
const PREFIX = 'steam '.padEnd(256, '.');

/**
 * Inspects the demo of a share code, which a resolver gets first, unless it is stored. The id of its upload is computed
 * from the code, so an account has each match once. Throws a 501 problem if no resolver is registered, and a 429
 * problem if a limit is reached.
 */
export async function inspectShared(
  service: Service,
  by: Pick<Context<never, Caller>, 'caller' | 'requestId'>,
  code: string,
  replay?: boolean,
): Promise<Demo> {
  const { settings, now } = service;
  const { accountId, idSalt, keyId, keyKind } = by.caller;
  const id = await jobIdOfKey(idSalt, PREFIX + code);
  const found = await findUpload(service.database, accountId, id);
  const known = found && found.expiresAt > now() ? found : null;
  if (!known?.completedAt && keyKind !== 'test' && !(await hasResolver(service.database))) {
    throw new ProblemError('no_resolver', 'This service has no resolver, so it cannot ask Steam for demos.');
  }
  if (found && !known) await forgetUpload(service, found);
  const times = { createdAt: now(), expiresAt: now() + settings.schedule.runDeadline + settings.demoTtl };
  // Its size counts when it is known.
  const file = { name: code, bytes: 1, sha256: null, multipartId: null, tag: null, facts: null };
  const row = { id, accountId, ...file, ...times, source: 'steam', keyId } as const;
  const problem = known ? null : await addUpload(service, by.caller, row);
  if (problem && (await findUpload(service.database, accountId, id)) === null) throw problem;
  const demoUrl = settings.baseUrl + href(UPLOAD_ROUTE, { id });
  return beginInspection(service, by, demoUrl, { shareCode: known?.completedAt ? undefined : code, replay });
}
