import * as z from 'zod';
import { allows, KEY_KINDS, type Scope } from '#domain/account/account.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { createAuthenticator } from '#http/credentials.ts';
import { ProblemError } from '#http/problem.ts';
import { type Around, type CallerAdmission, type Context, readId } from '#http/router.ts';
import { fileNameIn, readyDemo } from '#protocol/demo/faceit.ts';
import { factsOf } from '#protocol/demo/uploads.ts';
import { PROBLEMS } from '#protocol/lib/problem.ts';
import { takeRate } from '#service/job/job-limits.ts';
import { keyGuesses, requireDisk } from '#service/lib/admission.ts';
import { requireIntake } from '#service/lib/controls.ts';
import { tally } from '#service/lib/isolate-tally.ts';
import { type Operation, splitScope } from '#service/lib/operation.ts';
import { createBodyMemory } from '#service/lib/permits.ts';
import { perService, type Service } from '#service/lib/service.ts';
import { type Caller, findCaller, noteKeyUsed } from '#storage/account/accounts.ts';
import { storeRefusal } from '#storage/demo/arrivals.ts';

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
    async admit(request, { scope }) {
      const caller = await identify(request);
      await countRefusal(caller, () => requireAdmission(service, caller, splitScope(scope)[1] as Scope));
      return caller;
    },
    readParam: readId,
    bodyMemoryOf: ({ customerId }) => createBodyMemory(service.permits, customerId),
    around(id, context, answer, operation) {
      const answerIfRoom = async () => {
        const { diskShare } = operation;
        // A part (PUT) belongs to an upload that was taken.
        const isNew = diskShare !== undefined && context.request.method === 'POST';
        if (isNew) await requireIntake(service.controls, service.now());
        await requireDisk(service, diskShare);
        return answer();
      };
      const call = () => storeRefusalOf(service, id, context, answerIfRoom);
      return noteUse(service)(id, context, call, operation);
    },
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

/**
 * Runs `call`. If it refuses a demo, stores the reason for the operators, and rethrows: a game server does not send a
 * demo again. Parts are left out, because they are.
 */
async function storeRefusalOf<Answer>(
  { database, limits, now }: Pick<Service, 'database' | 'limits' | 'now'>,
  id: string,
  { caller, request, body, waitUntil }: Context<string, Caller>,
  call: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    const problem =
      error instanceof ProblemError ? error : new ProblemError('unavailable', 'A part of the service failed.');
    const store = async () => {
      const told: unknown = isJson(request) ? await body().catch(() => null) : null;
      const sent = Announced.safeParse(told).data;
      const ready = readyDemo(sent?.payload);
      const length = Number(request.headers.get('Content-Length'));
      const name = factsOf(request.headers)?.file_name ?? sent?.name ?? (ready ? fileNameIn(ready.file) : 'demo');
      await limits.refusals.take(caller.keyId);
      await storeRefusal(database, {
        keyId: caller.keyId,
        accountId: caller.accountId,
        name,
        status: PROBLEMS[problem.kind].status,
        reason: problem.message,
        bytes: sent?.bytes ?? (isJson(request) ? null : length || null),
        refusedAt: now(),
      });
    };
    if (SENDS_DEMO.has(id)) waitUntil(store().catch(() => {}));
    throw error;
  }
}

/** The operations that begin a demo. */
const SENDS_DEMO = new Set(['ingestDemo', 'ingestFaceit', 'createUpload']);

/** The parts of `UploadRequest` and `FaceitEvent` that tell what is sent. */
const Announced = z.object({ name: z.string(), bytes: z.number(), payload: z.unknown() }).partial();

const isJson = ({ headers }: Request) => headers.get('Content-Type')?.startsWith('application/json') === true;

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
