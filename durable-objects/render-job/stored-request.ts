import type { AddressPolicy } from '#domain/address-policy.ts';
import type { Job } from '#domain/job.ts';
import type { Admission } from '#domain/job-event.ts';
import type { Skill } from '#domain/need.ts';
import type { Resolution } from '#domain/picture.ts';
import { DEFAULTS, FPS, framesOf, type HostOrder, longestClip } from '#domain/render-order.ts';
import { hmacSha256, toHex } from '#platform/digest.ts';
import { isAcceptableDemoUrl } from '#protocol/demo-url.ts';
import type { DemoMatch } from '#protocol/demos.ts';
import type { ValidRequest } from '#protocol/submit.ts';
import { uploadIdIn } from '#protocol/uploads.ts';

/**
 * A request as the job keeps it: what the client sent, with `resolution` filled in. The auth header of the webhook is
 * a secret and lives with the webhook target; `force` says how to submit, not what to render.
 */
export type StoredRequest = ClipRequest | StoredInspection;
type ClipRequest = WithoutSubmitting<ValidRequest> & {
  resolution: Resolution;
  inspect?: undefined;
  forgotten?: Forgotten | undefined;
};

/** Stands where a request was until its time was up. */
export interface Forgotten {
  readonly at: number;
  /** Tells whether another request is the same. */
  readonly fingerprint: string;
}

/** Of a job that makes no clip: the demo that is looked into, and then what was in it. */
export interface StoredInspection extends NoClip {
  readonly inspect: true;
  readonly demo_url: string;
  readonly resolution: Resolution;
  readonly extras: null;
  readonly found?: DemoMatch | undefined;
}
type NoClip = {
  readonly [Name in Exclude<keyof ClipRequest, 'demo_url' | 'resolution' | 'extras' | 'inspect'>]?: undefined;
};

/** Of each mode by itself: `Omit` alone would make one of the two. */
type WithoutSubmitting<T> = T extends unknown ? Omit<T, 'force' | 'webhook_auth_header'> : never;

export function storedRequest(request: ValidRequest): ClipRequest {
  const { force: _force, webhook_auth_header: _secret, ...kept } = request;
  return { ...kept, resolution: request.resolution ?? DEFAULTS.resolution };
}

/** Whether a request asks for what its job keeps. The header is compared as long as the job has it. */
export function isSameRequest(
  { job, request }: { readonly job: Pick<Job, 'webhook'>; readonly request: StoredRequest },
  sent: ValidRequest,
  kept: StoredRequest,
): boolean {
  const isSameHeader = job.webhook === null || job.webhook.authHeader === (sent.webhook_auth_header ?? null);
  return isSameHeader && inOrder(request) === inOrder(kept);
}

/** What is left of a request whose time is up. */
export function forgottenRequest(
  { resolution, fps, idempotency_key, timeline }: ClipRequest,
  forgotten: Forgotten,
): ClipRequest {
  const kept = { resolution, ...(fps === undefined ? {} : { fps }), ...(idempotency_key ? { idempotency_key } : {}) };
  const rest = { ...kept, demo_url: '', extras: null, forgotten };
  return timeline ? { ...rest, timeline: [] } : { ...rest, steam64_id: '' };
}

/**
 * Stands for a request once it is forgotten. Without the deployment's secret nobody finds out by trying what it was.
 * The header is left out, as where the job has forgotten that alone.
 */
export async function fingerprintOf(secret: string, jobId: string, kept: StoredRequest): Promise<string> {
  return toHex(await hmacSha256(secret)(`request ${jobId} ${inOrder(kept)}`));
}

/** JSON with the fields of each object by their names. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/**
 * Returns the admission of a request's job. The third argument comes from the account and its key; `frames` is its
 * limit.
 */
export function admissionOf(
  request: ValidRequest,
  kept: ClipRequest,
  { frames: most, ...given }: Pick<Admission, 'priority' | 'renderer' | 'labels'> & { readonly frames: number },
  policy: AddressPolicy,
): Admission {
  const url = request.webhook_url;
  const fps = request.fps ?? DEFAULTS.fps;
  return {
    ...given,
    frames: { asked: framesOf(selection(kept), fps), most },
    webhook: url === undefined ? null : { url, authHeader: request.webhook_auth_header ?? null },
    fps,
    resolution: kept.resolution,
    acceptable: isAcceptable(request, policy),
  };
}

/** A demo to look into, and what it admits its job with: as little as can be asked of a host. */
export function inspectionOf(
  demo_url: string,
  labels: readonly string[],
  policy: AddressPolicy,
): { readonly request: StoredInspection; readonly admission: Admission } {
  const request = { inspect: true, demo_url, resolution: DEFAULTS.resolution, extras: null } as const;
  const admission = {
    ...{ priority: false, webhook: null, fps: FPS.least, resolution: request.resolution, renderer: null, labels },
    acceptable: isAcceptable(request, policy),
  };
  return { request, admission };
}

/** Whether a host may fetch the demo: from where it lies, or as an upload from the service. */
export function isAcceptable({ demo_url }: Pick<StoredRequest, 'demo_url'>, policy: AddressPolicy): boolean {
  return uploadIdIn(demo_url, policy.ownOrigins) !== null || isAcceptableDemoUrl(demo_url, policy);
}

/** What a host has to know to do what is asked, beyond rendering. */
export function skillsFor(
  { demo_url, inspect }: Pick<StoredRequest, 'demo_url' | 'inspect'>,
  policy: AddressPolicy,
): readonly Skill[] {
  const uploads = uploadIdIn(demo_url, policy.ownOrigins) === null ? [] : (['uploads'] as const);
  return inspect ? ['inspect', ...uploads] : uploads;
}

/** Why a clip of so many seconds cannot be what was asked for; null where it can. */
export function clipFault(request: StoredRequest | undefined, seconds: number): 'stale_lease' | 'too_long' | null {
  if (!request) return 'stale_lease';
  const wanted = selection(request);
  if (wanted.mode === 'inspect') return 'stale_lease';
  return seconds > longestClip(wanted) ? 'too_long' : null;
}

/** What the host is asked to make, with the defaults of contract 4.1 and 2.5. */
export function renderOrder(request: StoredRequest): HostOrder {
  return {
    demoUrl: request.demo_url,
    selection: selection(request),
    // Whatever a host can do, it can read.
    fps: request.fps ?? (request.inspect ? FPS.least : DEFAULTS.fps),
    resolution: request.resolution,
    xray: (request.commands?.spec_show_xray ?? DEFAULTS.xray) === '1',
    onlyDeathnotices: (request.commands?.cl_draw_only_deathnotices ?? DEFAULTS.onlyDeathnotices) === '1',
    ownKillfeed: request.hud_killfeed ?? false,
    damageTicker: request.hud_damage_ticker ?? false,
    thumbnailStyle: request.thumbnail_style ?? DEFAULTS.thumbnailStyle,
    watermarkImageId: request.watermark_image_id ?? null,
  };
}

function selection(request: StoredRequest): HostOrder['selection'] {
  if (request.inspect) return { mode: 'inspect' };
  if (request.timeline) {
    return {
      mode: 'timeline',
      segments: request.timeline.map((segment) => ({
        steam64Id: segment.steam64_id,
        startTick: segment.start_tick,
        endTick: segment.end_tick,
      })),
    };
  }
  return {
    mode: 'round',
    steam64Id: request.steam64_id,
    round: request.round ?? null,
    preKillPadding: request.pre_kill_padding ?? DEFAULTS.preKillPadding,
    postKillPadding: request.post_kill_padding ?? DEFAULTS.postKillPadding,
  };
}
