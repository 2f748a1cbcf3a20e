import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { clipTitle } from '#domain/clip/clip-title.ts';
import { type AttemptCode, type Facts, type Failure, isRetryable } from '#domain/failure/codes.ts';
import type { WorkStage } from '#domain/job/job.ts';
import { cutText } from '#domain/lib/text.ts';
import { readRenderOrder } from '#protocol/clip/render-order-view.ts';
import {
  type FailRequest,
  type Grant,
  MAX_DETAIL,
  MAX_PARTS,
  MAX_TITLE,
  TRACKS_FILE,
  type UploadBegin,
} from '#protocol/host/gateway.ts';
import type { LogTail } from '../machine/log-tail.ts';
import { isMachineError } from '../machine/program.ts';
import type { DemoInspection, InspectDemo } from '../pipeline/fetch-match.ts';
import type { GameFault, RenderClip } from '../pipeline/render-clip.ts';
import { type RenderObserver, silentRenderObserver } from '../pipeline/render-observer.ts';
import type { JobEnd } from './claim-gate.ts';
import { type GatewayClient, type LeaseRef, leaseRefOf } from './gateway-client.ts';
import { backoffMs, GatewayError, withRetries } from './gateway-error.ts';
import { uploadFile } from './upload-file.ts';

export interface Progress {
  readonly phase: 'prefetch' | 'render';
  readonly stage?: WorkStage;
  /** 0 to 1, of the whole job. */
  readonly progress: number;
}

/** The timeout of a first heartbeat: an unanswered one is sent three times before the grant expires. */
const CONFIRM_TIMEOUT_MS = 1500;

/**
 * Keeps a lease alive until `signal` aborts, and calls `confirm` once its grant is confirmed. Resolves with why work
 * has to stop: `lost` when the gateway said that the lease is gone or was not reached for a whole term; `stopped` when
 * the gateway asked for it; the error when the gateway rejects the host's reports as wrong, as it would reject those of
 * each other attempt.
 */
async function keepAlive(
  gateway: GatewayClient,
  lease: LeaseRef,
  terms: Grant['lease'],
  current: () => Progress,
  confirm: () => void,
  signal: AbortSignal,
): Promise<'lost' | 'stopped' | GatewayError> {
  let heardAt = Date.now();
  let isConfirmed = false;
  let failures = 0;
  while (!signal.aborted) {
    try {
      await gateway.heartbeat(lease, current(), isConfirmed ? undefined : AbortSignal.timeout(CONFIRM_TIMEOUT_MS));
      heardAt = Date.now();
      isConfirmed = true;
      confirm();
    } catch (error) {
      if (error instanceof GatewayError && error.isRequestRefused) return error;
      const isLost = error instanceof GatewayError && (error.isLeaseLost || !error.isTransient);
      if (isLost || Date.now() - heardAt > terms.ttl_s * 1000) return 'lost';
    }
    // An unconfirmed grant expires within seconds, so one lost packet must not cost the job.
    const wait = isConfirmed ? terms.heartbeat_s * 1000 : backoffMs(failures++, Math.random());
    await delay(wait, undefined, { signal }).catch(() => {});
  }
  return 'stopped';
}

export type HostPhase = 'idle' | 'prefetch' | 'render' | 'upload';

/** Receives what the host does, for metrics. */
export interface HostObserver extends RenderObserver {
  /** The gateway has answered a claim, with a job or without. */
  claimAnswered(): void;
  phaseChanged(phase: HostPhase): void;
  fileUploaded(bytes: number): void;
  jobEnded(end: JobEnd): void;
}

export const silentObserver: HostObserver = {
  ...silentRenderObserver,
  claimAnswered: () => {},
  phaseChanged: () => {},
  fileUploaded: () => {},
  jobEnded: () => {},
};

const REPORT_TRIES = 6;
const RELEASE_TRIES = 3;

/** The share of rendering in a job's progress. The rest is the upload. */
const RENDER_SHARE = 0.97;

export interface JobDependencies {
  readonly gateway: GatewayClient;
  readonly renderClip: RenderClip;
  /** Undefined in a host that cannot inspect demos. */
  readonly inspectDemo?: InspectDemo;
  /** A folder that only this host uses. */
  readonly workDir: string;
  readonly log: Logger;
  readonly observer?: HostObserver;
  /** The log of the present job, whose end goes to the operator with a failure. */
  readonly logTail?: Pick<LogTail, 'text' | 'clear'> | undefined;
}

interface Failed extends GameFault {
  readonly kind: 'failed';
  readonly code: AttemptCode;
  readonly detail: string;
  readonly facts?: Facts;
}
type Outcome = Failed | { readonly kind: 'completed' | 'inspected' | 'dropped' | 'released' };

const isWellEnded = ({ kind }: Outcome) => kind === 'completed' || kind === 'inspected';

/**
 * Renders, uploads and reports one job, or inspects its demo, under its lease. A lost lease stops the work and reports
 * nothing. `handOver` stops it and hands the job back. Always removes the job's files.
 */
export async function workOnJob(dependencies: JobDependencies, grant: Grant, handOver: AbortSignal): Promise<Outcome> {
  const { gateway, log } = dependencies;
  const observer = logged(dependencies.observer ?? silentObserver, log, grant.job_id);
  const lease = leaseRefOf(grant);
  const jobDir = join(dependencies.workDir, `${lease.jobId}.${lease.fence}`);
  const lost = new AbortController();
  const refused = new AbortController();
  const done = new AbortController();
  let latest: Progress = { phase: 'prefetch', progress: 0 };
  const { promise: confirmed, resolve: confirm } = Promise.withResolvers<void>();
  const heartbeats = keepAlive(gateway, lease, grant.lease, () => latest, confirm, done.signal).then((why) => {
    if (why === 'lost') lost.abort(new Error('the lease was lost'));
    else if (why !== 'stopped') refused.abort(why);
  });
  const stop = AbortSignal.any([handOver, lost.signal, refused.signal]);
  stop.addEventListener('abort', () => confirm());
  try {
    // An unconfirmed grant takes no other report.
    if (!stop.aborted) await confirmed;
    observer.phaseChanged('prefetch');
    let outcome = await renderAndUpload({ ...dependencies, observer }, grant, jobDir, stop, (progress) => {
      if (progress.phase !== latest.phase) observer.phaseChanged(progress.phase);
      latest = progress;
    });
    if (lost.signal.aborted) return { kind: 'dropped' };
    if (refused.signal.aborted && !isWellEnded(outcome)) outcome = refusal('render_failed', refused.signal.reason);
    else if (handOver.aborted && !isWellEnded(outcome)) {
      await handBack(gateway, lease);
      return { kind: 'released' };
    }
    if (outcome.kind === 'failed') {
      await reportFailure(gateway, lease, outcome, latest.stage, lost.signal, dependencies.logTail?.text());
    }
    return outcome;
  } catch (error) {
    log.warn({ job: lease.jobId, err: error }, 'the job could not be reported; its lease will run out');
    return { kind: 'dropped' };
  } finally {
    done.abort();
    await heartbeats;
    observer.phaseChanged('idle');
    await rm(jobDir, { recursive: true, force: true }).catch((error: unknown) => {
      log.warn({ job: lease.jobId, err: error }, 'the files of the job could not be removed');
    });
  }
}

function logged(observer: HostObserver, log: Logger, job: string): HostObserver {
  return {
    ...observer,
    phaseChanged(phase) {
      log.debug({ job, phase }, 'phase changed');
      observer.phaseChanged(phase);
    },
  };
}

/**
 * Reports a failure. An older service may refuse a new code, or the report for another reason. Then it is reported
 * again with a code that every service has, because a job without a reported end is rendered again.
 */
async function reportFailure(
  gateway: GatewayClient,
  lease: LeaseRef,
  failure: Failed,
  stage: WorkStage | undefined,
  signal: AbortSignal,
  log: string | undefined,
): Promise<void> {
  const report = (code: AttemptCode, detail: string, more: Partial<FailRequest> = {}) => {
    const body = { code, detail: cutText(detail, MAX_DETAIL), ...more };
    return withRetries(() => gateway.fail(lease, body), REPORT_TRIES, signal);
  };
  const { code, detail, refusedBuild, unfitBuild, crashedLoading, ownMatch, facts } = failure;
  try {
    const builds = { refused_build: refusedBuild, unfit_build: unfitBuild };
    const crashed = crashedLoading && { demo: crashedLoading.demo, has_recorded: crashedLoading.hasRecorded };
    const causes = { crashed_loading: crashed, own_match: ownMatch };
    await report(code, detail, { ...builds, ...causes, log: log || undefined, facts, stage });
  } catch (error) {
    if (!(error instanceof GatewayError && error.isRequestRefused)) throw error;
    await report(
      isRetryable(code) ? 'cs2_unavailable' : 'render_failed',
      `${code}, which was refused: ${error.message}`,
    );
  }
}

/** Hands a job back without a failure. Retries transient errors a few times only, because the host is stopping. */
export function handBack(gateway: GatewayClient, lease: LeaseRef): Promise<void> {
  return withRetries(() => gateway.release(lease), RELEASE_TRIES, new AbortController().signal);
}

async function renderAndUpload(
  dependencies: JobDependencies & { readonly observer: HostObserver },
  grant: Grant,
  jobDir: string,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<Outcome> {
  const { gateway, renderClip, log, observer } = dependencies;
  const lease = leaseRefOf(grant);
  try {
    await mkdir(jobDir, { recursive: true });
  } catch (error) {
    return { kind: 'failed', code: 'cs2_unavailable', detail: `no folder for the job: ${String(error)}` };
  }
  const demo = {
    demoKey: grant.demo_key,
    account: grant.account_key ?? null,
    demoSource: grant.is_uploaded_demo ? gateway.demoSource(lease) : undefined,
    workDir: jobDir,
    acceptedDomains: grant.accepted_domains,
    blocked: grant.blocked,
    allowPrivateAddresses: grant.allow_private_addresses,
    ownOrigins: grant.own_origins.map((origin) => new URL(origin)),
    lowPorts: grant.low_ports,
    signal,
  };
  const order = readRenderOrder(grant.order);
  if (order === null) {
    const tracksPath = grant.optional_files.includes(TRACKS_FILE) ? join(jobDir, 'tracks.bin') : undefined;
    return inspect(dependencies, grant, { ...demo, demoUrl: grant.order.demo_url, tracksPath, onProgress });
  }
  const maxBytes = MAX_PARTS * grant.part_bytes;
  let assetRefused: GatewayError | null = null;
  const rendered = await renderClip({
    ...demo,
    mostFrames: grant.most_frames,
    order,
    maxBytes,
    wantsStoryboard: grant.optional_files.includes('storyboard'),
    async fetchAsset(use, until) {
      try {
        return await withRetries(() => gateway.fetchAsset(lease, use, until), REPORT_TRIES, until);
      } catch (error) {
        if (error instanceof GatewayError && error.isRequestRefused) assetRefused = error;
        throw error;
      }
    },
    onProgress: ({ progress, ...where }) => onProgress({ ...where, progress: progress * RENDER_SHARE }),
  });
  if (assetRefused !== null) return refusal('render_failed', assetRefused);
  if (!rendered.ok) return failedWith(rendered);
  onProgress({ phase: 'render', stage: 'upload', progress: RENDER_SHARE });
  try {
    observer.phaseChanged('upload');
    const upload = async (file: UploadBegin['file'], path: string) => {
      const uploaded = await uploadFile(gateway, lease, file, path, grant.part_bytes, signal);
      observer.fileUploaded(uploaded.bytes);
      return uploaded;
    };
    const video = await upload('video', rendered.videoPath);
    const thumbnail = await upload('thumbnail', rendered.thumbnailPath);
    const { facts, durationSeconds: duration_seconds, storyboard: board } = rendered;
    const storyboard = board && {
      ...(await upload('storyboard', board.path)),
      columns: board.columns,
      rows: board.rows,
      interval_seconds: board.intervalSeconds,
    };
    const title = cutText(clipTitle(facts), MAX_TITLE);
    const report = { title, facts, duration_seconds, video, thumbnail, ...(storyboard ? { storyboard } : {}) };
    log.debug({ job: lease.jobId }, 'completing');
    await withRetries(() => gateway.complete(lease, report), REPORT_TRIES, signal);
    return { kind: 'completed' };
  } catch (error) {
    return uploadFailure(error);
  }
}

async function inspect(
  { gateway, inspectDemo }: JobDependencies,
  grant: Grant,
  request: DemoInspection,
): Promise<Outcome> {
  const lease = leaseRefOf(grant);
  const { tracksPath, signal } = request;
  if (!inspectDemo) return { kind: 'failed', code: 'cs2_unavailable', detail: 'this host looks into no demos' };
  const found = await inspectDemo(request);
  if (!found.ok) return failedWith(found);
  try {
    const tracks = tracksPath && (await uploadFile(gateway, lease, TRACKS_FILE, tracksPath, grant.part_bytes, signal));
    const report = { demo: found.demo, ...(tracks ? { tracks } : {}) };
    await withRetries(() => gateway.inspected(lease, report), REPORT_TRIES, signal);
    return { kind: 'inspected' };
  } catch (error) {
    return uploadFailure(error);
  }
}

function failedWith({ ok: _, ...failure }: Failure): Failed {
  return { kind: 'failed', ...failure };
}

/** The clip is rendered, and could not be delivered. */
function uploadFailure(error: unknown): Outcome {
  if (error instanceof GatewayError) {
    if (error.isLeaseLost && !error.isUploadIncomplete) return { kind: 'dropped' };
    if (error.isRequestRefused) return refusal('finalize_failed', error);
    return { kind: 'failed', code: 'upload_error', detail: error.message };
  }
  const code = isMachineError(error) ? 'cs2_unavailable' : 'upload_error';
  return { kind: 'failed', code, detail: `the upload failed: ${String(error)}` };
}

/** Final: another render would end in the same refusal. */
function refusal(code: 'render_failed' | 'finalize_failed', { message }: GatewayError): Failed {
  return { kind: 'failed', code, detail: `refused for good: ${message}` };
}
