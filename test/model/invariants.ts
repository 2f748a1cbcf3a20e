import { isFinished } from '../../domain/job.ts';
import type { ContractModel } from './contract-model.ts';
import type { Aftermath, Sent, Snapshot } from './system.ts';

/** An attempt that died with its object may be made again after this long. */
const CRASHED_MS = 30_000;
const MAX_ATTEMPTS = 10;

/** What must hold of a job after every step. */
export function expectSound(snapshot: Snapshot | null, model: ContractModel, sent: readonly Sent[], now: number): void {
  if (!snapshot) return;
  const { job, outbox, deliveries, announced, alarmAt } = snapshot;
  const finished = isFinished(job.status);
  holds(job.run === model.state.run, `run ${job.run}, the model is at ${model.state.run}`);
  holds(new Set(announced).size === announced.length, 'a run has two outcomes');
  const isAnnounced = announced.includes(job.run);
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
  if (finished) holds(alarmAt === null || open.length + outbox.length > 0, 'a finished job has a timer of its own');
  else holds(alarmAt !== null, `nothing will move the job out of ${job.status}`);
  for (const { id, attempts, run } of deliveries) {
    expectDelivery(id, attempts, sent, now);
    const late = sent.filter(({ deliveryId, at }) => deliveryId === id && run < job.run && at > job.queuedAt);
    holds(late.length === 0, 'an attempt was begun after its delivery was canceled');
  }
}

function expectDelivery(id: string, attempts: number, sent: readonly Sent[], now: number): void {
  const mine = sent.filter(({ deliveryId }) => deliveryId === id);
  holds(attempts <= MAX_ATTEMPTS && mine.length <= attempts, `${mine.length} sends in ${attempts} attempts`);
  holds(new Set(mine.map(({ body }) => body)).size <= 1, 'a delivery changed its body');
  mine.forEach(({ at, attempt }, i) => {
    holds(at <= now, 'a webhook out of the future');
    const before = mine[i - 1];
    if (!before) return;
    holds(attempt > before.attempt, 'attempts are not numbered in order');
    holds(at - before.at >= (attempt - before.attempt) * CRASHED_MS, 'attempts too close to each other');
  });
}

/** What must hold once everything has come to rest: nothing lost, nothing done twice, nothing left behind. */
export function expectSettled(
  snapshot: Snapshot | null,
  { indexed, files, openUploads, isQueued, metered }: Aftermath,
  sent: readonly Sent[],
): void {
  if (!snapshot) return;
  const { job, outbox, deliveries, alarmAt } = snapshot;
  holds(isFinished(job.status), `stuck in ${job.status}`);
  holds(outbox.length === 0 && alarmAt === null, 'something still waits');
  holds(indexed?.status === job.status && indexed.version === job.version, 'the index differs from the job');
  holds(indexed?.watchAt === null, 'the watchdog still looks after it');
  holds(!isQueued, 'it still has a place in the queue');
  const clip = job.clip?.state === 'ready' ? [job.clip.video.key, job.clip.thumbnail.key] : [];
  holds(files.toSorted().join() === clip.toSorted().join(), `in storage: ${files.join()}; of the clip: ${clip.join()}`);
  holds(openUploads === 0, `${openUploads} uploads were left open`);
  holds(new Set(metered).size === metered.length, 'a run was metered twice');
  for (const { id, run, status } of deliveries) {
    holds(status !== 'queued', 'a delivery never ended');
    const arrived = sent.some(({ deliveryId }) => deliveryId === id);
    holds(arrived || status !== 'delivered', 'a delivery counts as delivered that never came');
    holds(run === job.run || status !== 'queued', 'a delivery outlived its run');
  }
}

function holds(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}
