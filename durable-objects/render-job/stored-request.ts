import type { AddressPolicy } from '#domain/address-policy.ts';
import type { Job } from '#domain/job.ts';
import type { Admission } from '#domain/job-event.ts';
import type { Skill } from '#domain/need.ts';
import type { Resolution } from '#domain/picture.ts';
import { DEFAULTS, framesOf, type HostOrder, longestClip, NO_PICTURE, type Selection } from '#domain/render-order.ts';
import { hmacSha256, toHex } from '#platform/digest.ts';
import { isAcceptableDemoUrl } from '#protocol/demo-url.ts';
import type { DemoMatch } from '#protocol/demos.ts';
import type { KeptRequest } from '#protocol/job-view.ts';
import type { ValidRequest } from '#protocol/submit.ts';
import { uploadIdIn } from '#protocol/uploads.ts';
import type { IndexedRequest } from '#storage/job-index.ts';

/** A request as the job stores it. */
export type StoredRequest = ClipRequest | StoredInspection;

/**
 * The client's request with `resolution` filled in. The webhook's auth header is a secret and stored with the webhook
 * target; `force` is about the submit, not the clip.
 */
export type ClipRequest = WithoutSubmitting<ValidRequest> & {
  kind: 'clip';
  resolution: Resolution;
  forgotten?: Forgotten | undefined;
};

/** Replaces a request when its retention ends. */
export interface Forgotten {
  readonly at: number;
  /** Identifies the same request. */
  readonly fingerprint: string;
}

/** The inspected demo, and later its contents. */
export interface StoredInspection {
  readonly kind: 'inspection';
  readonly demo_url: string;
  readonly found?: DemoMatch | undefined;
}

/** Applied to each mode: `Omit` alone would merge both. */
type WithoutSubmitting<T> = T extends unknown ? Omit<T, 'force' | 'webhook_auth_header'> : never;

export function storedRequest(request: ValidRequest): ClipRequest {
  const { force: _force, webhook_auth_header: _secret, ...kept } = request;
  return { kind: 'clip', ...kept, resolution: request.resolution ?? DEFAULTS.resolution };
}

/** Whether a request is the same as the stored one. The header is compared as long as the job has it. */
export function isSameRequest(
  { job, request }: { readonly job: Pick<Job, 'webhook'>; readonly request: StoredRequest },
  sent: ValidRequest,
  kept: ClipRequest,
): boolean {
  const isSameHeader = job.webhook === null || job.webhook.authHeader === (sent.webhook_auth_header ?? null);
  return isSameHeader && inOrder(request) === inOrder(kept);
}

/** Returns the rest of a request whose retention has ended. */
export function forgottenRequest(
  { resolution, fps, idempotency_key, timeline }: ClipRequest,
  forgotten: Forgotten,
): ClipRequest {
  const kept = { resolution, ...(fps === undefined ? {} : { fps }), ...(idempotency_key ? { idempotency_key } : {}) };
  const rest = { kind: 'clip', ...kept, demo_url: '', extras: null, forgotten } as const;
  return timeline ? { ...rest, timeline: [] } : { ...rest, steam64_id: '' };
}

/**
 * Returns the fingerprint of a deleted request. Without the deployment's secret it does not reveal the request, even to
 * guesses. It excludes the header, which the job may delete earlier.
 */
export async function fingerprintOf(secret: string, jobId: string, kept: ClipRequest): Promise<string> {
  return toHex(await hmacSha256(secret)(`request ${jobId} ${inOrder(kept)}`));
}

/** Returns JSON with sorted field names. */
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
  const frames = { asked: framesOf(selection(kept), fps), most };
  return {
    ...given,
    work: { kind: 'clip', fps, resolution: kept.resolution, frames },
    webhook: url === undefined ? null : { url, authHeader: request.webhook_auth_header ?? null },
    acceptable: isAcceptable(request, policy),
  };
}

/** Returns the admission of an inspection's job. Any renderer can read. */
export function inspectionAdmission(
  request: StoredInspection,
  labels: readonly string[],
  policy: AddressPolicy,
): Admission {
  const acceptable = isAcceptable(request, policy);
  return { priority: false, webhook: null, work: { kind: 'inspection' }, renderer: null, labels, acceptable };
}

/** Whether a host may fetch the demo: from its address, or as an upload. */
export function isAcceptable({ demo_url }: Pick<StoredRequest, 'demo_url'>, policy: AddressPolicy): boolean {
  return uploadIdIn(demo_url, policy.ownOrigins) !== null || isAcceptableDemoUrl(demo_url, policy);
}

/** Returns the skills beyond rendering that a host needs for a request. */
export function skillsFor({ demo_url, kind }: StoredRequest, policy: AddressPolicy): readonly Skill[] {
  const uploads = uploadIdIn(demo_url, policy.ownOrigins) === null ? [] : (['uploads'] as const);
  return kind === 'inspection' ? ['inspect', ...uploads] : uploads;
}

/** Whether a clip of so many seconds is longer than the request allows. */
export function isTooLong(request: StoredRequest | undefined, seconds: number): boolean {
  return request?.kind === 'clip' && seconds > longestClip(selection(request));
}

/** Returns a request with the field names of the API. */
export function shownRequest(request: StoredRequest): KeptRequest {
  if (request.kind === 'clip') {
    const { kind: _kind, ...asked } = request;
    return asked;
  }
  const { kind: _kind, ...asked } = request;
  const shown = { ...asked, inspect: true, resolution: NO_PICTURE.resolution, extras: null };
  return shown;
}

export function indexedRequest(request: StoredRequest): IndexedRequest {
  if (request.kind === 'inspection') return { mode: 'inspect', fps: null, resolution: NO_PICTURE.resolution };
  const { timeline, fps = null, resolution } = request;
  return { mode: timeline ? 'timeline' : 'round', fps, resolution };
}

/** Returns the host's order, with the defaults of contract 4.1 and 2.5. */
export function renderOrder(request: StoredRequest): HostOrder {
  const isClip = request.kind === 'clip';
  const asked: Partial<ClipRequest> & Pick<ClipRequest, 'resolution'> = isClip ? request : NO_PICTURE;
  return {
    demoUrl: request.demo_url,
    selection: isClip ? selection(request) : { mode: 'inspect' },
    fps: asked.fps ?? DEFAULTS.fps,
    resolution: asked.resolution,
    xray: (asked.commands?.spec_show_xray ?? DEFAULTS.xray) === '1',
    onlyDeathnotices: (asked.commands?.cl_draw_only_deathnotices ?? DEFAULTS.onlyDeathnotices) === '1',
    ownKillfeed: asked.hud_killfeed ?? false,
    damageTicker: asked.hud_damage_ticker ?? false,
    thumbnailStyle: asked.thumbnail_style ?? DEFAULTS.thumbnailStyle,
    watermarkImageId: asked.watermark_image_id ?? null,
  };
}

function selection(request: ClipRequest): Selection {
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
