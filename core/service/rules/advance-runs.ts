import { allows } from '#domain/account.ts';
import { DAY_MS } from '#domain/metering.ts';
import { reasonOf } from '#domain/reason.ts';
import { ProblemError } from '#http/problem.ts';
import { rateLimited } from '#http/rate-limit.ts';
import type { Demo } from '#protocol/demos.ts';
import { PROBLEMS } from '#protocol/problem.ts';
import { href } from '#protocol/routes.ts';
import { mismatchOf, momentsOf } from '#protocol/rule-moments.ts';
import { UPLOAD_ROUTE } from '#protocol/uploads.ts';
import { type Caller, findCallerOfKey } from '#storage/accounts.ts';
import { claimClips, moveRun, type OpenRun, selectOpenRuns } from '#storage/rule-runs.ts';
import { updateRule } from '#storage/rules.ts';
import { requireIntake } from '../controls.ts';
import { beginInspection, demoIdOf } from '../inspect-demo.ts';
import type { Service } from '../service.ts';
import { submitOne } from '../submit-one.ts';
import { clipBody } from './clip-body.ts';

type RuleWorld = Pick<Service, 'job' | 'clipIds' | 'database' | 'limits' | 'settings' | 'now' | 'controls' | 'log'>;
type Inspect = (caller: Caller) => Promise<Demo>;

/**
 * Takes the open runs of an upload as far as they can go now. Never rejects; the cron calls it again. Repeatable, also
 * at the same time: each step is one statement, an inspection, or a submit with an idempotency key.
 */
export async function advanceRuns(service: RuleWorld, uploadId: string): Promise<void> {
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

async function inspected(service: RuleWorld, caller: Caller, demoUrl: string): Promise<Demo> {
  const requestId = await demoIdOf(caller, demoUrl);
  const known = await service.job(requestId).readDemo(caller.accountId);
  return known.ok ? known.value : beginInspection(service, { caller, requestId }, demoUrl);
}

async function advance(service: RuleWorld, open: OpenRun, demoUrl: string, inspect: Inspect): Promise<void> {
  const { database, limits, settings, now } = service;
  const { run, rule } = open;
  const end = (state: 'failed' | 'skipped', detail: string) =>
    moveRun(database, run.id, { state, detail, endedAt: now() });
  if (!rule.enabled) return end('skipped', 'the rule is disabled');
  const caller = await findCallerOfKey(database, rule.keyId, now());
  if (!caller || !allows(caller.scope, 'submit')) {
    const pauseReason = 'the key of the rule is revoked or has expired';
    await updateRule(database, rule.id, { enabled: false, pausedAt: now(), pauseReason });
    return end('skipped', pauseReason);
  }
  if (caller.suspendedAt !== null) return end('skipped', 'the account is suspended');
  let { requests, clips } = run;
  if (run.state === 'waiting') {
    const { state, match, diagnosis } = await inspect(caller);
    if (state === 'pending') return;
    if (!match) return end('failed', `the demo cannot be read: ${diagnosis?.summary}`);
    const mismatch = mismatchOf(rule.definition.when, match);
    if (mismatch !== null) return end('skipped', mismatch);
    requests = momentsOf(rule.definition.render, match);
    if (requests.length === 0) return end('skipped', 'the demo has no such moment');
    clips = await claimClips(database, open, requests, { keyClips: settings.limits.ingestADay.clips, now: now() });
    if (clips === 0) return;
  }
  for (const [index, moment] of requests.slice(0, clips).entries()) {
    const submits = limits.submits.of(caller.limits.submits);
    const wait = await submits.take(caller.accountId);
    if (wait > 0) throw rateLimited(submits.policy, wait);
    const body = { ...clipBody(rule, moment, demoUrl), idempotency_key: `rule:${run.id}:${index}` };
    await submitOne(service, { caller, requestId: run.id }, body, null, { id: rule.id, run: run.id });
  }
  await moveRun(database, run.id, { state: 'running' });
}

/** Ends a run that was refused for good, or by a limit for a day. After any other error the cron tries it again. */
async function giveUp({ database, now, log }: RuleWorld, { run }: OpenRun, error: unknown): Promise<void> {
  if (!(error instanceof ProblemError)) return log('a run of a rule failed', { run: run.id, error: reasonOf(error) });
  const { status } = PROBLEMS[error.kind];
  if ((status === 429 || status >= 500) && now() - run.createdAt < DAY_MS) return;
  await moveRun(database, run.id, { state: 'failed', detail: error.message, endedAt: now() });
}
