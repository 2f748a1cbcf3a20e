import { DAY_MS } from '#domain/job/metering.ts';
import type { ProblemError } from '#http/problem.ts';
import { limitReached, rateLimited } from '#http/rate-limit.ts';
import { byteLength } from '#platform/digest.ts';
import type { Settings } from '#platform/settings.ts';
import type { Added, FullOf } from '#rpc/render-job.ts';
import type { Caller } from '#storage/account/accounts.ts';
import { add } from '#storage/lib/budgets.ts';
import type { Service } from '../lib/service.ts';

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;
const MIB = 1024 * 1024;
/** Seconds between two runs of the cron, which deletes spare jobs. */
const CRON_S = 300;

/** Counts a call by the minute. Throws a 429 problem if the account calls too often. */
export async function takeRate(
  { limits }: Pick<Service, 'limits'>,
  { accountId, limits: own }: Caller,
  name: 'requests' | 'submits' | 'uploads' | 'follows',
): Promise<void> {
  await limits[name].of(own[name]).take(accountId);
}

/** A limit that an account has reached. */
export interface Full {
  readonly of: FullOf;
  readonly problem: ProblemError;
}

/** Returns the first limit that the account has reached; null if it may make one more job. */
export function firstLimitReached(caller: Caller, { limits }: Pick<Settings, 'limits'>, now: number): Full | null {
  const { jobs, unbilled, ...most } = { ...limits, ...caller.limits };
  const { jobs_kept = 0, jobs_mib: bytes = 0, jobs_a_day = 0, unbilled: unbilledMs = 0 } = caller.used;
  const isTest = caller.keyKind === 'test';
  const kept = isTest ? Math.min(most.jobs_kept, limits.test.jobs_kept) : most.jobs_kept;
  const untilTomorrow = DAY_MS - (now % DAY_MS);
  if (caller.unfinished >= jobs) {
    const detail = `${jobs} jobs of this account have not finished yet; no more can wait.`;
    return { of: 'runs', problem: limitReached(detail) };
  }
  if (unbilledMs >= unbilled * MINUTE_MS) {
    const detail = `Hosts have worked ${unbilled} minutes today (UTC) on runs of this account that made no clip (unbilled).`;
    const problem = limitReached(`${detail} No more are begun before tomorrow.`, Math.ceil(untilTomorrow / 1000));
    return { of: 'runs', problem };
  }
  const policy = { name: 'new-jobs', limit: most.jobs_a_day, windowMs: DAY_MS };
  const ofDay = jobs_a_day < most.jobs_a_day ? null : rateLimited(policy, untilTomorrow);
  if (isTest && ofDay) return { of: 'runs', problem: ofDay };
  const isHeavy = bytes >= most.jobs_mib * MIB;
  if (isHeavy || jobs_kept >= kept) {
    const detail = isHeavy
      ? `The requests of this account's jobs use ${Math.floor(bytes / MIB)} of ${most.jobs_mib} MiB (jobs_mib).`
      : `This account has ${jobs_kept} jobs, and may keep ${kept} jobs.`;
    const stays = 'No more can be made. Finished jobs with neither a clip nor an idempotency_key make room.';
    const advice = isTest ? 'Jobs of test keys are deleted after seven days.' : 'Ask the operator to keep more.';
    return { of: isHeavy ? 'requests' : 'jobs', problem: limitReached(`${detail} ${stays} ${advice}`, CRON_S) };
  }
  return ofDay && { of: 'jobs', problem: ofDay };
}

/** Returns the bytes of a request's text, as `jobs_mib` counts them. `extras` is text already. */
export function bytesOf(request: object): number {
  const extras = 'extras' in request && typeof request.extras === 'string' ? request.extras : '';
  return byteLength(JSON.stringify({ ...request, extras: undefined })) + byteLength(extras);
}

/**
 * Counts a job before the call that adds it, so that concurrent calls cannot pass the limit. Afterwards counts only
 * what the call added, and nothing if it throws. The next look-up of the account reads the true counts. `request`: what
 * the job stores; null if it has it already.
 */
export async function counted<Answer>(
  { database, now }: Pick<Service, 'database' | 'now'>,
  caller: Caller,
  request: object | null,
  call: () => Promise<Answer>,
  addedBy: (answer: Answer) => Added,
): Promise<Answer> {
  const { accountId: owner, used } = caller;
  const isTest = caller.keyKind === 'test';
  const bytes = request === null ? 0 : bytesOf(request);
  const count = (added: Added, by: 1 | -1) => {
    if (added === null) return;
    const use = (name: 'jobs_kept' | 'jobs_a_day' | 'jobs_mib', amount: number) => {
      used[name] = (used[name] ?? 0) + by * amount;
    };
    caller.unfinished += by;
    use('jobs_mib', bytes);
    if (added === 'job') use('jobs_kept', 1);
    if (added === 'job' || isTest) use('jobs_a_day', 1);
  };
  let added: Added = null;
  count('job', 1);
  try {
    const answer = await call();
    added = addedBy(answer);
    // The index counts new jobs by itself. The job runs again in any case.
    if (isTest && added === 'run')
      await add(database, [{ owner, name: 'jobs_a_day', at: now(), amount: 1 }]).catch(() => {});
    return answer;
  } finally {
    count('job', -1);
    count(added, 1);
  }
}

/** Returns the 429 problem for a job that was run again too often. An hour later another run is certainly allowed. */
export function tooManyReruns({ limits }: Pick<Settings, 'limits'>): ProblemError {
  return rateLimited({ name: 'reruns', limit: limits.reruns, windowMs: HOUR_MS }, HOUR_MS);
}
