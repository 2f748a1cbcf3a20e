import * as z from 'zod';
import { allows, KEY_KINDS, type Scope } from '#domain/account/account.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { createAuthenticator } from '#http/credentials.ts';
import { ProblemError } from '#http/problem.ts';
import { type Around, type CallerAdmission, type Context, readId } from '#http/router.ts';
import { factsOf } from '#protocol/demo/uploads.ts';
import { PROBLEMS, type ProblemKind } from '#protocol/lib/problem.ts';
import { takeRate } from '#service/job/job-limits.ts';
import { keyGuesses, requireDisk } from '#service/lib/admission.ts';
import { requireIntake } from '#service/lib/controls.ts';
import { tally } from '#service/lib/isolate-tally.ts';
import { type Operation, splitScope } from '#service/lib/operation.ts';
import { createBodyMemory } from '#service/lib/permits.ts';
import { perService, type Service } from '#service/lib/service.ts';
import { type Caller, findCaller, noteKeyUsed } from '#storage/account/accounts.ts';
import { keepRefusedDemo } from '#storage/demo/arrivals.ts';

/** The use of a key is written to the index at most this often. */
const USED_MS = 60 * 60_000;

export const identifyAccount = perService((service) =>
  createAuthenticator(
    KEY_KINDS,
    (sha256) => findCaller(service.database, sha256, service.now()),
    service.now,
    keyGuesses(service),
  ),
);

/** Admits the holders of an account's key. */
export function accountAdmission(service: Service): CallerAdmission<Operation, Caller> {
  const identify = identifyAccount(service);
  return {
    async admit(request, { scope, diskShare }) {
      const caller = await identify(request);
      await countRefusal(caller, () => requireAdmission(service, caller, splitScope(scope)[1] as Scope));
      await keepRefusal(service, { caller, request }, async () => {
        // A part (PUT) belongs to an upload that was taken.
        if (diskShare !== undefined && request.method === 'POST') await requireIntake(service.controls, service.now());
        await requireDisk(service, diskShare);
      });
      return caller;
    },
    readParam: readId,
    bodyMemoryOf: ({ customerId }) => createBodyMemory(service.permits, customerId),
    around: (id, context, answer) => noteUse(service)(id, context, () => keepRefusal(service, context, answer)),
  };
}

/** Counts the call if it throws that a limit was reached. */
async function countRefusal<Answer>({ customerId }: Caller, call: () => Answer): Promise<Awaited<Answer>> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ProblemError && PROBLEMS[error.kind].status === 429) tally.refuse(customerId);
    throw error;
  }
}

/** Keeps for the operators why a demo was refused: the sender with a key of scope `ingest` is a program that goes on. */
async function keepRefusal<Answer>(
  { database, now }: Pick<Service, 'database' | 'now'>,
  {
    caller,
    request,
    body,
  }: Pick<Context<string, Caller>, 'caller' | 'request'> & { readonly body?: () => Promise<unknown> },
  call: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (caller.scope !== 'ingest' || !(error instanceof ProblemError) || UNKEPT.has(error.kind)) throw error;
    const isJson = request.headers.get('Content-Type')?.startsWith('application/json');
    const sent = Named.safeParse(isJson && (await body?.().catch(() => null)));
    const length = request.headers.get('Content-Length');
    const refused = {
      keyId: caller.keyId,
      accountId: caller.accountId,
      name: factsOf(request.headers)?.file_name ?? sent.data?.name ?? '',
      reason: error.message,
      bytes: sent.data?.bytes ?? (isJson || length === null ? null : Number(length)),
      status: PROBLEMS[error.kind].status,
      refusedAt: now(),
    };
    await keepRefusedDemo(database, refused).catch(() => {});
    throw error;
  }
}

/** A part of `UploadRequest`. */
const Named = z.object({ name: z.string(), bytes: z.number() });

/** Refusals that say nothing about a demo. */
const UNKEPT = new Set<ProblemKind>(['not_found', 'rate_limited']);

/** Throws a problem if the caller lacks the scope, is over its limit of requests, or is suspended. */
async function requireAdmission({ limits }: Pick<Service, 'limits'>, caller: Caller, needed: Scope): Promise<void> {
  await takeRate({ limits }, caller, 'requests');
  if (!allows(caller.scope, needed)) {
    throw new ProblemError('forbidden', `This takes a key of scope ${needed}; this one is of scope ${caller.scope}.`);
  }
  if (needed === 'read' || caller.suspendedAt === null) return;
  throw new ProblemError('account_suspended', 'This account is suspended: it may read, and change nothing.');
}

/**
 * Writes the use of a key to the index once an hour. The request does not wait for it. A later request repeats a failed
 * write.
 */
function noteUse({
  database,
  dispatcher,
  now,
  log,
}: Pick<Service, 'database' | 'dispatcher' | 'now' | 'log'>): Around<Caller> {
  return (_, { caller, waitUntil }, answer) => {
    const at = now();
    if (caller.usedAt === null || at - caller.usedAt >= USED_MS) {
      caller.usedAt = at;
      const written = noteKeyUsed(database, caller.keyId, at, at - USED_MS);
      waitUntil(written.catch((error) => log('failed to record the use of a key', { error: reasonOf(error) })));
    }
    if (tally.hasRefused()) waitUntil(tally.report(dispatcher()));
    return countRefusal(caller, answer);
  };
}
