import { createRecent } from '#domain/lib/rate-buckets.ts';
import { accepted } from '#http/accepted.ts';
import { limitReached } from '#http/rate-limit.ts';
import type { Context } from '#http/router.ts';
import { TransientError } from '#http/to-problem.ts';
import type { Demo } from '#protocol/demo/demos.ts';
import type { Caller } from '#storage/account/accounts.ts';
import { readRecord } from '#storage/clip/public-record.ts';
import { removeInspections, selectInspecting } from '#storage/operate/upkeep.ts';
import { counted, firstLimitReached, tooManyReruns } from '../job/job-limits.ts';
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

const UNSEEN_MS = 60_000;

/** An inspection that this isolate has begun. `unseenBy`: the last of its counts that may have missed it in the index. */
interface Begun {
  readonly id: string;
  readonly at: number;
  unseenBy: number;
}

/**
 * Reads the index. Returns a function that adds an inspection of the account at once, if there are fewer than `most`: in
 * the index, and begun by this isolate since it was read, also by calls of which it is unknown whether they arrived. The
 * result is told whether the call has added it: then later counts find it in the index. Null if there are `most`.
 */
const inspectionCounts = perService(({ database, now }: Pick<Service, 'database' | 'now'>) => {
  const recent = createRecent<readonly Begun[]>(10_000);
  let counts = 0;
  return async (accountId: string, most: number) => {
    const count = ++counts;
    const indexed = await selectInspecting(database, accountId, most);
    return (id: string) => {
      const begun = (recent.get(accountId) ?? []).filter(({ at }) => at > now() - UNSEEN_MS);
      const unseen = begun.filter(({ unseenBy }) => unseenBy >= count);
      if (new Set([...indexed, ...unseen.map((one) => one.id)]).size >= most) return null;
      const one = { id, at: now(), unseenBy: Number.POSITIVE_INFINITY };
      recent.set(accountId, [...begun, one]);
      return (isAdded: boolean) => {
        one.unseenBy = isAdded ? counts : 0;
      };
    };
  };
});

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
  const { inspections } = settings.limits;
  const add = await inspectionCounts(service)(accountId, inspections);
  const problem = limitReached(`${inspections} demos of this account are being looked into already.`);
  const clipId = await clipIds.clipIdOf(jobId);
  // A forgotten inspection leaves its version. A take-down is for good.
  const { version = 0, state } = (await readRecord(files, clipId)) ?? {};
  const replay = wantsReplay && state !== 'removed';
  const { blocked } = await controls.read();
  // After all waits: concurrent requests count in the same caller.
  const reached = firstLimitReached(caller, settings, now());
  const noteAdded = reached ? null : add(jobId);
  const full = reached ?? (noteAdded ? null : { of: 'runs' as const, problem });
  const ids = { jobId, accountId, clipId, version };
  const about = { demoUrl, replay, isTest: caller.keyKind === 'test' };
  const asked = { ...ids, ...about, labels, requestId, full: full?.of, blocked };
  const result = await counted(
    service,
    caller,
    { demo_url: demoUrl },
    async () => job(jobId).inspectDemo(asked),
    (answer) => (answer.ok ? answer.value.added : null),
  );
  noteAdded?.(result.ok && result.value.added !== null);
  const { demo } = accepted(result, {
    limit_reached: () => full?.problem ?? problem,
    too_many_reruns: () => tooManyReruns(settings),
  });
  return demo;
}
