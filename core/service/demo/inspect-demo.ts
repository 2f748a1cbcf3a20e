import { accepted } from '#http/accepted.ts';
import { limitReached } from '#http/rate-limit.ts';
import type { Context } from '#http/router.ts';
import { TransientError } from '#http/to-problem.ts';
import type { Demo } from '#protocol/demo/demos.ts';
import type { Caller } from '#storage/account/accounts.ts';
import { readRecord } from '#storage/clip/public-record.ts';
import { removeInspections, selectInspecting } from '#storage/operate/upkeep.ts';
import { counted, type Full, firstLimitReached, tooManyReruns } from '../job/job-limits.ts';
import { jobIdOfKey, requireUploadedDemo } from '../job/submit-one.ts';
import { perService, type Service } from '../lib/service.ts';

/** A prefix longer than any idempotency key, so that no key leads to an inspection. */
const PREFIX = 'inspect '.padEnd(256, '.');

/** Returns the id of the account's inspection of a demo. */
export function demoIdOf({ idSalt }: Pick<Caller, 'idSalt'>, demoUrl: string): Promise<string> {
  return jobIdOfKey(idSalt, PREFIX + demoUrl);
}

/**
 * Deletes an inspection with its replay, and ends its run. Viewers see that when this returns. Throws a 404 problem if
 * the account has no such inspection.
 */
export async function deleteInspection(
  { job, clipIds, database }: Pick<Service, 'job' | 'clipIds' | 'database'>,
  { accountId }: Caller,
  id: string,
): Promise<void> {
  accepted(await job(id).readDemo(accountId));
  const row = { id, accountId, clipId: await clipIds.clipIdOf(id) };
  if (!(await job(id).erase(row))) throw new TransientError('an inspection is not erased yet');
  // Keeps the row if another request has begun a run meanwhile.
  await removeInspections(database, [id], Number.MAX_SAFE_INTEGER);
}

/** For how long a call counts that failed, or did not end because the platform has ended its request. */
const LOST_MS = 60_000;

/** The inspections that calls of this isolate are beginning, by account: the index may lack them. */
const beginning = perService((_: object) => new Map<string, Set<{ readonly id: string; readonly at: number }>>());

/**
 * Does some work that begins an inspection. Tells it whether the account has `most` others, in the index or by calls
 * that came before: the index has an inspection before its call ends.
 */
async function whileBeginning<T>(
  service: Pick<Service, 'database' | 'now'>,
  { accountId, id, most }: { readonly accountId: string; readonly id: string; readonly most: number },
  work: (isFull: boolean) => Promise<T>,
): Promise<T> {
  const all = beginning(service);
  const others = [...(all.get(accountId) ?? [])].filter(({ at }) => at > service.now() - LOST_MS);
  const one = { id, at: service.now() };
  all.set(accountId, new Set([...others, one]));
  const indexed = await selectInspecting(service.database, accountId, most);
  const result = await work(new Set([...indexed, ...others.map((other) => other.id)]).size >= most);
  // If it failed, it is unknown whether the call arrived: it counts until `LOST_MS`.
  all.get(accountId)?.delete(one);
  return result;
}

/**
 * Begins the inspection of a demo, or returns the one that exists: the id is computed from the address. A failed one is
 * tried again. `wantsReplay`: the host also writes the tracks of a replay. Throws a problem if a limit is reached, or
 * if the address is of an upload that cannot be read.
 */
export async function beginInspection(
  service: Pick<Service, 'job' | 'clipIds' | 'database' | 'files' | 'settings' | 'now' | 'controls'>,
  { caller, requestId }: Pick<Context<never, Caller>, 'caller' | 'requestId'>,
  demoUrl: string,
  wantsReplay = false,
): Promise<Demo> {
  const { job, clipIds, files, settings, now, controls } = service;
  const { accountId, labels } = caller;
  await requireUploadedDemo(service, caller, demoUrl, true);
  const jobId = await demoIdOf(caller, demoUrl);
  const { inspections: most } = settings.limits;
  const problem = limitReached(`${most} demos of this account are being looked into already.`);
  let full: Full | null = null;
  const result = await whileBeginning(service, { accountId, id: jobId, most }, async (isFull) => {
    const clipId = await clipIds.clipIdOf(jobId);
    // A forgotten inspection leaves its version. A take-down is for good.
    const { version = 0, state } = (await readRecord(files, clipId)) ?? {};
    const replay = wantsReplay && state !== 'removed';
    const { blocked } = await controls.read();
    // After all waits: concurrent requests count in the same caller.
    full = isFull ? { of: 'runs', problem } : firstLimitReached(caller, settings, now());
    const ids = { jobId, accountId, clipId, version };
    const about = { demoUrl, replay, isTest: caller.keyKind === 'test' };
    const asked = { ...ids, ...about, labels, requestId, full: full?.of, blocked };
    return counted(
      service,
      caller,
      { demo_url: demoUrl },
      async () => job(jobId).inspectDemo(asked),
      (answer) => (answer.ok ? answer.value.added : null),
    );
  });
  const { demo } = accepted(result, {
    limit_reached: () => full?.problem ?? problem,
    too_many_reruns: () => tooManyReruns(settings),
  });
  return demo;
}
