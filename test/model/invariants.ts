import type { Delivery } from '#domain/job/delivery.ts';
import { fieldsOf, isFinished } from '#domain/job/job.ts';
import type { ContractModel } from './contract-model.ts';
import type { Aftermath, Attempt, Sent, Snapshot } from './system.ts';

/** The most delay of an alarm after a death: while work runs, the guard alarm is set this far ahead. */
export const CRASH_GUARD_MS = 5000;
/**
 * No guard alarm is set for immediate work if an alarm fires within this time, so only a death delays the work until
 * then.
 */
export const TERM_MS = 60_000;
const SPACING_MS = 15 * 60_000;
/** An attempt that died with its object may be repeated after this time. */
const CRASHED_MS = 30_000;
const DIED = 'no outcome was recorded';
const MAX_ATTEMPTS = 10;

/** Checks what is true of a job after every step. */
export function expectSound(
  snapshot: Snapshot | null,
  model: ContractModel,
  sent: readonly Sent[],
  now: number,
  diedAt: number | null,
): void {
  if (!snapshot) return;
  const { outbox, deliveries, attempts, bodies, alarmAt } = snapshot;
  const job = fieldsOf(snapshot.job);
  const finished = isFinished(job.status);
  holds(job.run === model.state.run, `run ${job.run}, the model is at ${model.state.run}`);
  holds(bodies.length <= 1, 'more than one outcome is kept');
  const isAnnounced = bodies.includes(job.run);
  holds(isAnnounced === (finished && model.state.webhook), `outcome of run ${job.run} announced: ${isAnnounced}`);
  holds((job.lease !== null) === (job.status === 'prefetch' || job.status === 'render'), 'a lease out of place');
  holds((job.retryAt !== null) === (job.status === 'retrying'), 'a retry out of place');
  holds(
    (job.errorCode !== null) === (job.status === 'retrying' || job.status === 'error'),
    'an error code out of place',
  );
  const open = deliveries.filter(({ nextAt }) => nextAt !== null);
  holds(
    open.every(({ run }) => run === job.run),
    'a delivery of an earlier run is still open',
  );
  holds(
    open.every(({ status }) => status === 'queued'),
    'a delivery that has ended is still open',
  );
  const offers = outbox.filter(({ effect }) => effect.type === 'offer').length;
  holds(offers === (job.status === 'pending' ? 1 : 0), `${offers} offers in ${job.status}`);
  holds(finished || alarmAt !== null, `nothing will move the job out of ${job.status}`);
  for (const { due, late } of waits(snapshot)) {
    holds(alarmAt !== null, `something waits until ${due}, and there is no alarm`);
    const latest = Math.max(due, diedAt ?? 0) + late;
    holds((alarmAt ?? 0) <= latest, `the alarm is ${(alarmAt ?? 0) - due} ms too late`);
  }
  for (const delivery of deliveries) {
    const { id, run } = delivery;
    const log = attempts.filter((attempt) => attempt.id === id);
    expectDelivery(delivery, log, job.run);
    expectSent(
      sent.filter(({ deliveryId }) => deliveryId === id),
      log,
      now,
    );
    const late = sent.filter(({ deliveryId, at }) => deliveryId === id && run < job.run && at > job.queuedAt);
    holds(late.length === 0, 'an attempt was begun after its delivery was canceled');
  }
}

/**
 * Returns when each pending part is due, and how late its alarm may be. An effect that is stored as due may be done:
 * the next change, the next report under a lease, or the alarm removes it. Under a lease the alarm is at the end of the
 * lease.
 */
function waits({ job, outbox, deliveries, alarmAt }: Snapshot): { due: number; late: number }[] {
  const { lease, retryAt } = fieldsOf(job);
  const deadline = lease && (lease.isConfirmed ? Math.max(lease.deadline, alarmAt ?? 0) : lease.deadline);
  return [
    ...(lease ? [] : outbox.map(({ dueAt }) => ({ due: dueAt, late: TERM_MS }))),
    ...deliveries.flatMap(({ nextAt }) => (nextAt === null ? [] : [{ due: nextAt, late: TERM_MS }])),
    ...[retryAt, deadline].flatMap((due) => (due === null ? [] : [{ due, late: CRASH_GUARD_MS }])),
  ];
}

/** Checks after every alarm has fired: nothing is overdue, except work that a later alarm guards. */
export function expectNothingDue(snapshot: Snapshot | null, now: number): void {
  for (const { due, late } of snapshot ? waits(snapshot) : []) {
    const isLookedAfter = late === TERM_MS && (snapshot?.alarmAt ?? 0) > now;
    holds(due > now || isLookedAfter, `what was due ${now - due} ms ago has not happened`);
  }
}

/** Checks a delivery against its log: delivered by the first success, exhausted by ten attempts without one. */
function expectDelivery({ run, status, attempts, nextAt, createdAt }: Delivery, log: Attempt[], lastRun: number): void {
  holds(log.map(({ attempt }) => attempt).join() === [...Array(attempts).keys()].map((n) => n + 1).join(), 'a gap');
  holds(attempts <= MAX_ATTEMPTS, `${attempts} attempts`);
  const arrived = log.map(({ status }) => status !== null && status >= 200 && status < 300);
  holds(!arrived.slice(0, -1).includes(true), 'an attempt was made after one that arrived');
  const isCanceled = status === 'canceled' && run < lastRun;
  holds(isCanceled || (status === 'delivered') === (arrived.at(-1) === true), `${status} after ${attempts} attempts`);
  holds(status !== 'exhausted' || attempts === MAX_ATTEMPTS, `exhausted after ${attempts} attempts`);
  const waits = log.map(({ error }) => (error === DIED ? CRASHED_MS : SPACING_MS));
  log.slice(1).forEach(({ at }, i) => {
    holds(at - (log[i]?.at ?? 0) >= (waits[i] ?? 0), `attempt ${i + 2} comes too soon after the one before it`);
  });
  if (status !== 'queued') return;
  const due = log.length === 0 ? createdAt : (log.at(-1)?.at ?? 0) + (waits.at(-1) ?? 0);
  holds(nextAt === due, `the next attempt is due at ${nextAt} instead of ${due}`);
}

/** Checks that the receiver got exactly the logged attempts, in order and with the same body. */
function expectSent(sent: readonly Sent[], log: readonly Attempt[], now: number): void {
  holds(new Set(sent.map(({ body }) => body)).size <= 1, 'a delivery changed its body');
  sent.forEach(({ at, attempt }, i) => {
    holds(at <= now, 'a webhook out of the future');
    holds(attempt > (sent[i - 1]?.attempt ?? 0), 'attempts are not numbered in order');
  });
  for (const { attempt, at, status } of log) {
    const came = sent.find((one) => one.attempt === attempt);
    holds(status === null || came !== undefined, 'an answer to an attempt that never came');
    holds(came === undefined || came.at === at, 'an attempt came at another time than was written down');
  }
}

/** Checks a job without pending work: nothing lost, done twice or left behind. */
export function expectAtRest(
  snapshot: Snapshot | null,
  { indexed, files, openUploads, isQueued, metered }: Aftermath,
  sent: readonly Sent[],
  model: ContractModel,
): void {
  if (!snapshot) return;
  const { job, outbox, deliveries, alarmAt } = snapshot;
  holds(isFinished(job.status), `stuck in ${job.status}`);
  holds(outbox.length === 0 && alarmAt === null, 'something still waits');
  holds(indexed?.status === job.status && indexed.version === job.version, 'the index differs from the job');
  holds(indexed?.upkeepAt === null, 'the cron still looks after it');
  holds(!isQueued, 'it still has a place in the queue');
  const clip = job.clip?.state === 'ready' ? [job.clip.video.key, job.clip.thumbnail.key] : [];
  holds(files.toSorted().join() === clip.toSorted().join(), `in storage: ${files.join()}; of the clip: ${clip.join()}`);
  holds(openUploads === 0, `${openUploads} uploads were left open`);
  const { done } = model.state;
  holds(byNumber(metered) === byNumber(done), `metered: runs ${byNumber(metered)}; done: runs ${byNumber(done)}`);
  for (const { id, run, status } of deliveries) {
    holds(status !== 'queued', 'a delivery never ended');
    const arrived = sent.some(({ deliveryId }) => deliveryId === id);
    holds(arrived || status !== 'delivered', 'a delivery counts as delivered that never came');
    holds(run === job.run || status !== 'queued', 'a delivery outlived its run');
  }
}

/** Checks that no file of a clip is missing. */
export function expectWhole(snapshot: Snapshot | null, files: readonly string[]): void {
  const { clip } = snapshot?.job ?? {};
  if (clip?.state !== 'ready') return;
  for (const { key } of [clip.video, clip.thumbnail]) holds(files.includes(key), `${key} is missing`);
}

/**
 * Checks deliveries after their receiver worked, or failed, for two days. `before`: the deliveries at the beginning.
 */
export function expectDelivered(snapshot: Snapshot | null, before: readonly Delivery[], isWell: boolean): void {
  for (const { id, status } of snapshot?.deliveries ?? []) {
    const was = before.find((delivery) => delivery.id === id);
    if (was && was.status !== 'queued') continue;
    const wanted = isWell && (was?.attempts ?? 0) < MAX_ATTEMPTS ? 'delivered' : 'exhausted';
    holds(status === wanted, `${status} instead of ${wanted}`);
  }
}

function byNumber(runs: readonly number[]): string {
  return runs.toSorted((a, b) => a - b).join();
}

function holds(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}
