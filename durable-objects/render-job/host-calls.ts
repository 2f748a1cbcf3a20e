import { DurableObject } from 'cloudflare:workers';
import { ASSET_USES } from '#domain/clip/render-order.ts';
import { hasSkills } from '#domain/host/need.ts';
import type { JobEvent } from '#domain/job/event.ts';
import { fieldsOf, leaseOf } from '#domain/job/job.ts';
import { DONE, refuse, refusedWith, value } from '#domain/job/result.ts';
import { assetKey } from '#domain/job/storage-keys.ts';
import { traitsOf } from '#domain/job/work.ts';
import { settingsOf } from '#platform/settings.ts';
import { ASSET_FIELDS } from '#protocol/account/assets.ts';
import { demoMatch } from '#protocol/demo/demos.ts';
import { uploadIdIn } from '#protocol/demo/uploads.ts';
import type { Claim, GrantedLease, Heartbeat, HostCalls, LeaseHolder, Report } from '#rpc/render-job.ts';
import type { Bindings } from '#service/lib/service.ts';
import { accountKeyOf, demoKeyOf } from './demo-key.ts';
import type { EventDetails } from './engine-context.ts';
import { OpenJob } from './open-job.ts';
import { effectContextOf } from './run-effect.ts';
import type { StoredJob } from './stored-job.ts';
import { byKind, isAcceptable, isTooLong, renderOrder, showsNames, skillsFor } from './stored-request.ts';

type Asked<Call extends keyof HostCalls> = Parameters<HostCalls[Call]>[0];

/** The object of a job, for render hosts. What it holds is a property of the instance, which no caller can reach. */
export abstract class HostedJob extends DurableObject<Bindings> implements HostCalls {
  protected readonly job: OpenJob;

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    const settings = settingsOf(env);
    this.job = new OpenJob(ctx, settings, () => effectContextOf(this.env, settings), this);
  }

  override alarm() {
    return this.job.wake();
  }

  async claim({ requestId, skills = [], blocked, ...claim }: Claim): ReturnType<HostCalls['claim']> {
    const { job } = this;
    const { settings } = job;
    const waiting = job.engine.stored;
    if (waiting && !hasSkills(skills, skillsFor(waiting, settings))) return refuse('not_queued');
    const acceptable = waiting
      ? isAcceptable(waiting.request, { ...settings, blocked }, waiting.job.isTest)
      : undefined;
    const result = job.engine.apply({ type: 'claim', ...claim, acceptable }, { requestId });
    const { stored } = job.engine;
    const lease = stored && leaseOf(stored.job);
    if (!lease) return refuse('not_queued');
    if (!result.ok) return refuse('leased');
    return value(await grantedLease(job, stored, lease.fence));
  }

  leased(holder: LeaseHolder): ReturnType<HostCalls['leased']> {
    const { job } = this;
    const { stored } = job.engine;
    if (!stored) return refuse('stale_lease');
    const { clipId, accountId, status, fence, renderedBy } = fieldsOf(stored.job);
    const isDone = status === 'done' && fence === holder.fence && renderedBy === holder.hostId;
    if (!isDone && !held(job, holder)) return refuse('stale_lease');
    const { shown } = byKind(stored.request);
    const assetKeys = ASSET_USES.flatMap((use) => {
      const id = shown[ASSET_FIELDS[use]];
      return id === undefined ? [] : [[use, assetKey(accountId, id)]];
    });
    const { demo_url: demoUrl } = stored.request;
    const uploadId = uploadIdIn(demoUrl, job.settings.ownOrigins);
    return value({
      clipId,
      demoUrl,
      isDone,
      assetKeys: Object.fromEntries(assetKeys),
      // Of the job's own account, so it cannot name a demo of another account.
      upload: uploadId === null ? null : { accountId, id: uploadId },
    });
  }

  heartbeat({ phase, progress, stage, ...holder }: Heartbeat): ReturnType<HostCalls['heartbeat']> {
    const { job } = this;
    const { followers } = job;
    const before = held(job, holder)?.job;
    if (!before) return refuse('stale_lease');
    const { fence } = holder;
    followers.lastHeartbeat = { fence, progress, stage: stage ?? null, at: Date.now() };
    job.engine.apply({ type: 'heartbeat', fence, phase });
    // A change of the job notifies its followers already.
    if (job.engine.stored?.job === before) followers.notify(before);
    return DONE;
  }

  uploadBegun({ hostId, fence, upload }: Asked<'uploadBegun'>): ReturnType<HostCalls['uploadBegun']> {
    return report(this.job, hostId, { type: 'upload-begun', fence, upload });
  }

  async complete({ hostId, fence, result, requestId }: Asked<'complete'>): ReturnType<HostCalls['complete']> {
    const { job } = this;
    if (isTooLong(job.engine.stored?.request, result.durationSeconds)) return refuse('too_long');
    if (showsNames(job.engine.stored?.request, result.facts)) return refuse('names_shown');
    const completed = report(job, hostId, { type: 'complete', fence, result }, { requestId });
    await job.engine.shown();
    return completed;
  }

  async inspected({ hostId, fence, found, tracks, requestId }: Asked<'inspected'>): ReturnType<HostCalls['inspected']> {
    const { job } = this;
    const { stored } = job.engine;
    const inspection = stored && byKind(stored.request).inspection;
    if (!inspection) return refuse('stale_lease');
    const request = { ...inspection, found: demoMatch(found, inspection.demo_url) };
    const inspected = report(job, hostId, { type: 'inspected', fence, tracks }, { requestId, request });
    if (tracks) await job.engine.shown();
    return inspected;
  }

  fail({ hostId, requestId, log, ...failure }: Asked<'fail'>): ReturnType<HostCalls['fail']> {
    return report(this.job, hostId, { ...failure, type: 'fail' }, { requestId, log });
  }

  release({ hostId, fence, requestId, isRefused }: Asked<'release'>): ReturnType<HostCalls['release']> {
    return report(this.job, hostId, { type: isRefused ? 'not-taken' : 'release', fence }, { requestId });
  }
}

/** Returns the job if the host holds the lease. */
function held(job: OpenJob, { hostId, fence }: LeaseHolder): StoredJob | null {
  const { stored } = job.engine;
  const lease = stored && leaseOf(stored.job);
  return lease?.fence === fence && lease.hostId === hostId ? stored : null;
}

function report(job: OpenJob, hostId: string, event: JobEvent, details: EventDetails = {}): Report {
  const { stored } = job.engine;
  // Without a lease, only the host that completed the job may repeat its report.
  const { lease, renderedBy } = stored ? fieldsOf(stored.job) : {};
  if (!stored || (lease?.hostId ?? renderedBy) !== hostId) return refuse('stale_lease');
  const result = job.engine.apply(event, details);
  return result.ok ? DONE : refusedWith(result, 'stale_lease', 'too_many_uploads');
}

async function grantedLease({ settings }: OpenJob, stored: StoredJob, fence: number): Promise<GrantedLease> {
  const { accountId, work } = stored.job;
  const [demoKey, accountKey] = await Promise.all([
    demoKeyOf(settings.clipIdSecret, accountId, stored.request.demo_url),
    accountKeyOf(settings.clipIdSecret, accountId),
  ]);
  const { frames } = traitsOf(work);
  const { replay } = byKind(stored.request).inspection ?? {};
  return {
    fence,
    order: renderOrder(stored),
    demoKey,
    accountKey,
    ...(frames && { mostFrames: frames.most }),
    ...(replay && { wantsTracks: true }),
  };
}
