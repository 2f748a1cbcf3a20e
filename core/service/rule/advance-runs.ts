import { allows } from '#domain/account/account.ts';
import { advanceRun, DEMOS_USED, type RunEvent } from '#domain/job/rule-run.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { ProblemError } from '#http/problem.ts';
import { byteLength } from '#platform/digest.ts';
import type { SubmitRequest } from '#protocol/clip/submit.ts';
import { UPLOAD_ROUTE } from '#protocol/demo/uploads.ts';
import { discordWebhook } from '#protocol/job/discord.ts';
import { PROBLEMS } from '#protocol/lib/problem.ts';
import { href } from '#protocol/lib/routes.ts';
import { mismatchOf, momentsOf, type RuleEnded } from '#protocol/rule/rules.ts';
import type { RunId } from '#rpc/bindings.ts';
import { type Caller, findCallerOfKey } from '#storage/account/accounts.ts';
import { type OpenRun, selectOpenRuns, selectRoom, storeRun } from '#storage/rule/rule-runs.ts';
import { pauseRule, type RuleRow } from '#storage/rule/rules.ts';
import { beginInspection, demoIdOf } from '../demo/inspect-demo.ts';
import { takeRate } from '../job/job-limits.ts';
import { liveSecrets, prepareWebhook, waitOfAttempt } from '../job/send-webhook.ts';
import { submitOne } from '../job/submit-one.ts';
import { requireIntake } from '../lib/controls.ts';
import type { Service } from '../lib/service.ts';

type Clips = Pick<RuleRow, 'definition' | 'send'>;

/** Returns the submit of a moment. Ranges of ticks have no options of round mode. */
export function clipBody({ definition, send }: Clips, moment: Partial<SubmitRequest>, demo_url: string): object {
  const { pre_kill_padding, post_kill_padding, pov, merge_gap, ...options } = definition.options;
  const { discord_url: _discord, ...webhook } = send;
  return {
    ...options,
    ...(!moment.timeline && { pre_kill_padding, post_kill_padding, pov, merge_gap }),
    ...webhook,
    ...moment,
    demo_url,
  };
}

type RuleService = Pick<
  Service,
  'job' | 'clipIds' | 'database' | 'files' | 'limits' | 'settings' | 'now' | 'controls' | 'log'
>;

/** The most changes of a run at a time. Another isolate may change it, too. */
const MOST_STEPS = 20;

/**
 * Takes the runs of an upload, or one run, as far as they can go now. Never rejects; the cron calls it again.
 * Repeatable, also at the same time: each step is one statement that requires the version before it, an inspection, a
 * submit with an idempotency key, or a webhook that may come twice. `full`: accounts at a limit, which are not asked
 * again.
 */
export async function advanceRuns(service: RuleService, of: string | RunId, full = new Set<string>()): Promise<void> {
  const { database, log, controls, now } = service;
  try {
    await requireIntake(controls, now());
    const callers = new Map<string, Promise<Caller | null>>();
    const callerOf = (keyId: string) => {
      const known = callers.get(keyId) ?? findCallerOfKey(database, keyId, now());
      callers.set(keyId, known);
      return known;
    };
    for (const open of await selectOpenRuns(database, typeof of === 'string' ? { uploadId: of } : of)) {
      const step = { service, callerOf, full };
      await advance(step, open).catch((error) => {
        log('a run of a rule failed', { run: open.run.id, error: reasonOf(error) });
      });
    }
  } catch (error) {
    log('failed to advance the runs of rules', { of, error: reasonOf(error) });
  }
}

interface Step {
  readonly service: RuleService;
  readonly callerOf: (keyId: string) => Promise<Caller | null>;
  readonly full: Set<string>;
}

/** Looks for the next event of a run and stores the change, until there is none. */
async function advance(step: Step, open: OpenRun): Promise<void> {
  const { database, settings, now } = step.service;
  const { limits, schedule } = settings;
  let current: OpenRun | undefined = open;
  for (let steps = 0; current && steps < MOST_STEPS; steps++) {
    const { run, jobs }: OpenRun = current;
    const looked = { ...current, made: jobs.length };
    const event = await nextEvent(step, looked);
    if (event === null) return;
    const change = advanceRun(run, event, {
      now: now(),
      schedule,
      made: looked.made,
      hasPost: postOf(step.service, current) !== null,
      hasWebhook: current.rule.send.webhook_url !== undefined,
      newId: () => crypto.randomUUID(),
    });
    if (change.run === run) return;
    if (await storeRun(database, current, change, { now: now(), keyClips: limits.ingest.clips })) {
      current = { ...current, run: { ...run, ...change.run, version: run.version + 1 } };
      continue;
    }
    [current] = await selectOpenRuns(database, { runId: run.id });
    // Another isolate goes on. Else another run has taken of the budgets.
    if (current?.run.version !== run.version) return;
  }
}

/** A run, and how many of its jobs exist. The index may lack some that were submitted just now. */
interface LookedRun extends OpenRun {
  made: number;
}

/** Does the next step outside of the run. Returns null if there is nothing to do before something else changes. */
async function nextEvent(step: Step, open: LookedRun): Promise<RunEvent | null> {
  const { database, settings, now } = step.service;
  const { run, rule, jobs } = open;
  if (run.endedAt !== null) return notify(step.service, open);
  if (run.state === 'running') {
    const isOver = jobs.length >= Math.min(run.clips, run.requests.length);
    if (!isOver || jobs.some(({ finished_at }) => finished_at === null)) return null;
    const post = postOf(step.service, open);
    if (!post || run.postedBy === null) return { type: 'jobs-ended', jobs };
    await step.service.job(run.postedBy).post({ run: run.id, postTo: post.masked });
    return { type: 'posted' };
  }
  if (rule.pausedAt !== null) return held(`the rule is paused: ${rule.pauseReason}`);
  if (!rule.enabled) return { type: 'refused', why: 'the rule is disabled', isFault: false };
  const isDue = now() >= run.createdAt + settings.schedule.runDeadline;
  if (isDue) return held(run.detail ?? 'no render host has read the demo in time');
  if (step.full.has(run.accountId)) return null;
  const caller = await step.callerOf(rule.keyId);
  if (!caller || !allows(caller.scope, 'submit')) {
    const why = 'the key of the rule is revoked or has expired';
    await pauseRule(database, rule.id, now(), why);
    return held(why);
  }
  if (caller.suspendedAt !== null) return held('the account is suspended');
  try {
    return await (run.state === 'waiting' ? readDemo(step, open, caller) : submitRest(step, open, caller));
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { status } = PROBLEMS[error.kind];
    if (status === 429) step.full.add(run.accountId);
    if (status === 429 || status >= 500) return held(error.message);
    return { type: 'refused', why: error.message, isFault: true };
  }
}

const held = (why: string): RunEvent => ({ type: 'held', why });

const demoUrlOf = ({ settings }: RuleService, { run }: OpenRun) =>
  settings.baseUrl + href(UPLOAD_ROUTE, { id: run.uploadId });

function postOf({ settings }: RuleService, { rule }: OpenRun) {
  return discordWebhook(rule.send.discord_url ?? '', settings.allowPrivateAddresses);
}

/** Reads the demo, whose inspection all rules share. One that failed before the run began is tried again. */
async function readDemo({ service }: Step, open: OpenRun, caller: Caller): Promise<RunEvent | null> {
  const { database, settings, job } = service;
  const { run, rule } = open;
  const room = await selectRoom(database, open, settings.limits.ingest.clips);
  if (room.demos < 1) return { type: 'refused', why: DEMOS_USED, isFault: false };
  const demoUrl = demoUrlOf(service, open);
  const requestId = await demoIdOf(caller, demoUrl);
  const known = await job(requestId).readDemo(caller.accountId);
  const isOld = known.ok && known.value.state === 'error' && Date.parse(known.value.finished_at ?? '') < run.createdAt;
  if (!known.ok || isOld) await takeRate(service, caller, 'submits');
  const demo = known.ok && !isOld ? known.value : await beginInspection(service, { caller, requestId }, demoUrl);
  if (demo.state === 'pending') return null;
  if (!demo.match) {
    return { type: 'refused', why: `the demo cannot be read: ${demo.diagnosis?.summary}`, isFault: true };
  }
  const { when, render } = rule.definition;
  return { type: 'read', mismatch: mismatchOf(when, demo.match), moments: momentsOf(render, demo.match), room };
}

/** Submits the jobs that the index lacks. One that is submitted again changes nothing. */
async function submitRest({ service }: Step, open: LookedRun, caller: Caller): Promise<RunEvent> {
  const { run, rule } = open;
  for (const moment of run.requests.slice(open.made, run.clips)) {
    await takeRate(service, caller, 'submits');
    const key = { idempotency_key: `rule:${run.id}:${open.made}` };
    const body = { ...clipBody(rule, moment, demoUrlOf(service, open)), ...key };
    await submitOne(service, { caller, requestId: run.id }, body, null, { id: rule.id, run: run.id });
    open.made++;
  }
  return { type: 'submitted' };
}

/** Sends the webhook of a run that made no job, like that of a job (contract 6.2). */
async function notify(service: RuleService, { run, rule, isTest }: OpenRun): Promise<RunEvent | null> {
  const { database, settings, now } = service;
  const { notice, state, detail, accountId } = run;
  if (notice === null || notice.nextAt > now() || (state !== 'failed' && state !== 'skipped')) return null;
  const { webhook_url: url, webhook_auth_header: authHeader = null } = rule.send;
  if (url === undefined) return { type: 'noticed', isDelivered: true };
  const about = { rule_id: rule.id, run_id: run.id, upload_id: run.uploadId };
  const body = JSON.stringify({ event: 'rule.ended', ...about, state, detail } satisfies RuleEnded);
  const wait = notice.hasPlace
    ? null
    : await waitOfAttempt(service, { accountId, isTest: isTest === 1, bytes: byteLength(body) });
  if (wait) return { type: 'notice-waits', until: wait.until };
  const secrets = await liveSecrets(database, settings.clipIdSecret, accountId, now());
  const delivery = { id: notice.id, attempts: notice.attempts + 1 };
  const send = await prepareWebhook(delivery, { url, authHeader, body }, settings, secrets);
  return { type: 'noticed', isDelivered: (await send()).error === null };
}
