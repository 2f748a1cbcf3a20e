import { allows } from '#domain/account.ts';
import { DAY_MS } from '#domain/metering.ts';
import { reasonOf } from '#domain/reason.ts';
import { ProblemError } from '#http/problem.ts';
import type { Demo } from '#protocol/demos.ts';
import { PROBLEMS } from '#protocol/problem.ts';
import { href } from '#protocol/routes.ts';
import { mismatchOf, momentsOf } from '#protocol/rule-moments.ts';
import { UPLOAD_ROUTE } from '#protocol/uploads.ts';
import { type Caller, findCallerOfKey } from '#storage/accounts.ts';
import { claimClips, closeRun, findPoster, moveRun, type OpenRun, selectOpenRuns } from '#storage/rule-runs.ts';
import { updateRule } from '#storage/rules.ts';
import { requireIntake } from '../controls.ts';
import { beginInspection, demoIdOf } from '../inspect-demo.ts';
import { requireSubmitRate } from '../job-limits.ts';
import type { Service } from '../service.ts';
import { submitOne } from '../submit-one.ts';
import { clipBody } from './clip-body.ts';

type RuleService = Pick<
  Service,
  'job' | 'clipIds' | 'database' | 'files' | 'limits' | 'settings' | 'now' | 'controls' | 'log'
>;
type Inspect = (caller: Caller) => Promise<Demo>;

/**
 * Takes the open runs of an upload as far as they can go now. Never rejects; the cron calls it again. Repeatable, also
 * at the same time: each step is one statement, an inspection, or a submit with an idempotency key.
 */
export async function advanceRuns(service: RuleService, uploadId: string): Promise<void> {
  const { database, settings, log, controls, now } = service;
  const demoUrl = settings.baseUrl + href(UPLOAD_ROUTE, { id: uploadId });
  // All runs read one inspection: its id is the account's.
  let demo: Promise<Demo> | undefined;
  const inspect: Inspect = (caller) => (demo ??= inspected(service, caller, demoUrl));
  try {
    await requireIntake(controls, now());
    for (const open of await selectOpenRuns(database, uploadId)) {
      await advance(service, open, demoUrl, inspect).catch((error) => giveUp(service, open, error));
    }
  } catch (error) {
    log('failed to advance the runs of rules', { upload: uploadId, error: reasonOf(error) });
  }
}

async function inspected(service: RuleService, caller: Caller, demoUrl: string): Promise<Demo> {
  const requestId = await demoIdOf(caller, demoUrl);
  const known = await service.job(requestId).readDemo(caller.accountId);
  if (known.ok) return known.value;
  await requireSubmitRate(service, caller);
  return beginInspection(service, { caller, requestId }, demoUrl);
}

async function advance(service: RuleService, open: OpenRun, demoUrl: string, inspect: Inspect): Promise<void> {
  const { database, settings, now } = service;
  const { run, rule } = open;
  if (!rule.enabled) return end(service, open, 'skipped', 'the rule is disabled');
  const caller = await findCallerOfKey(database, rule.keyId, now());
  if (!caller || !allows(caller.scope, 'submit')) {
    const pauseReason = 'the key of the rule is revoked or has expired';
    await updateRule(database, rule.id, { enabled: false, pausedAt: now(), pauseReason });
    return end(service, open, 'skipped', pauseReason);
  }
  if (caller.suspendedAt !== null) return end(service, open, 'skipped', 'the account is suspended');
  if (run.state === 'waiting') {
    const { state, match, diagnosis } = await inspect(caller);
    if (state === 'pending') return;
    if (!match) return end(service, open, 'failed', `the demo cannot be read: ${diagnosis?.summary}`);
    const mismatch = mismatchOf(rule.definition.when, match);
    if (mismatch !== null) return end(service, open, 'skipped', mismatch);
    const requests = momentsOf(rule.definition.render, match);
    if (requests.length === 0) return end(service, open, 'skipped', 'the demo has no such moment');
    const keyClips = settings.limits.ingestADay.clips;
    open.clips = await claimClips(database, open, requests, { keyClips, now: now() });
    if (open.clips === 0) return;
    open.requests = requests;
  }
  // Jobs that the index does not have yet are submitted again, which changes nothing.
  for (const moment of open.requests.slice(open.made, open.clips)) {
    await requireSubmitRate(service, caller);
    const body = { ...clipBody(rule, moment, demoUrl), idempotency_key: `rule:${run.id}:${open.made}` };
    await submitOne(service, { caller, requestId: run.id }, body, null, { id: rule.id, run: run.id });
    open.made++;
  }
  await moveRun(database, run.id, { state: 'running' });
}

/** Ends a run that was refused for good, or by a limit for a day. After any other error the cron tries it again. */
async function giveUp(service: RuleService, open: OpenRun, error: unknown): Promise<void> {
  const { now, log } = service;
  const { id, createdAt } = open.run;
  if (!(error instanceof ProblemError)) return log('a run of a rule failed', { run: id, error: reasonOf(error) });
  const { status } = PROBLEMS[error.kind];
  if ((status === 429 || status >= 500) && now() - createdAt < DAY_MS) return;
  await end(service, open, 'failed', error.message);
}

/** Ends a run before it has submitted all of its jobs. With some of them it goes on, and its last job ends it. */
async function end(
  { database, job, now }: RuleService,
  { run, requests, clips, made }: OpenRun,
  state: 'failed' | 'skipped',
  detail: string,
): Promise<void> {
  if (made === 0) return moveRun(database, run.id, { state, detail, endedAt: now() });
  // The run keeps what it has claimed.
  await moveRun(database, run.id, {
    requests: requests.slice(0, made),
    detail: `${made} of ${clips} clips: ${detail}`,
  });
  // All of these jobs may have ended: then none would end the run.
  const poster = await findPoster(database, run.id);
  if (poster !== null) {
    await job(poster).republish();
    await closeRun(database, run.id, poster, now());
  }
  await moveRun(database, run.id, { state: 'running' });
}
