import type { ClipFacts } from '#domain/clip/clip-title.ts';
import {
  DEFAULTS,
  framesOf,
  type HostOrder,
  longestClip,
  NO_PICTURE,
  type Resolution,
} from '#domain/clip/render-order.ts';
import type { Renderer, Skill } from '#domain/host/need.ts';
import type { Admission } from '#domain/job/event.ts';
import { hasFallenBack, withFallback } from '#domain/job/fallback.ts';
import type { Job } from '#domain/job/job.ts';
import { testEndOf } from '#domain/job/test-end.ts';
import { traitsOf } from '#domain/job/work.ts';
import type { AddressPolicy } from '#domain/lib/address-policy.ts';
import type { LimitValues } from '#domain/operate/limits.ts';
import { hmacSha256, toHex } from '#platform/digest.ts';
import type { Settings } from '#platform/settings.ts';
import { assetsAsked, isOtherShape, namesAsked, selectionOf, type ValidRequest } from '#protocol/clip/submit.ts';
import { type DemoMatch, isAcceptableDemoUrl } from '#protocol/demo/demos.ts';
import { FACEIT_DOMAINS, faceitDemo, isAtGateway } from '#protocol/demo/faceit.ts';
import { uploadIdIn } from '#protocol/demo/uploads.ts';
import type { KeptRequest } from '#protocol/job/job-view.ts';
import type { RuleOfJob } from '#rpc/render-job.ts';
import { bytesOf } from '#service/job/job-limits.ts';
import type { IndexedRequest } from '#storage/job/job-index.ts';

const MINUTE_MS = 60_000;

export type StoredRequest = ClipRequest | StoredInspection;

/**
 * The client's request with `resolution` filled in. The webhook's auth header is a secret and stored with the webhook
 * target; `force` is about the submit, not the clip.
 */
export type ClipRequest = WithoutSubmitting<ValidRequest> & {
  kind: 'clip';
  resolution: Resolution;
  forgotten?: Forgotten | undefined;
  rule?: RuleOfJob | undefined;
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
  /** Whether the host also writes the tracks of a replay. */
  readonly replay?: boolean | undefined;
  /** Of the last run that found something. A demo that is read again keeps it until then. */
  readonly found?: DemoMatch | undefined;
  /** The version of the reader for which an outdated `found` was read again: once, whatever the host reports. */
  readonly reread?: number | undefined;
}

export type DemoPolicy = AddressPolicy & Pick<Settings, 'faceit' | 'ownOrigins'>;

interface RequestOfJob {
  readonly job: Pick<Job, 'work' | 'webhook' | 'renderer' | 'fallback'>;
  readonly request: StoredRequest;
}

/** Applied to each mode: `Omit` alone would merge both. */
type WithoutSubmitting<T> = T extends unknown ? Omit<T, 'force' | 'webhook_auth_header'> : never;

export function storedRequest(request: ValidRequest): ClipRequest {
  const { force: _force, webhook_auth_header: _secret, ...kept } = request;
  return { kind: 'clip', ...kept, resolution: request.resolution ?? DEFAULTS.resolution };
}

/** Whether a request is the same as the stored one. The header is compared as long as the job has it. */
export function isSameRequest({ job, request }: RequestOfJob, sent: ValidRequest, kept: ClipRequest): boolean {
  const isSameHeader = job.webhook === null || job.webhook.authHeader === (sent.webhook_auth_header ?? null);
  return isSameHeader && inOrder(request) === inOrder(kept);
}

/** Returns the rest of a request whose retention has ended. */
export function forgottenRequest(
  { resolution, fps, idempotency_key, timeline, rule }: ClipRequest,
  forgotten: Forgotten,
): ClipRequest {
  const kept = { resolution, ...(fps === undefined ? {} : { fps }), ...(idempotency_key ? { idempotency_key } : {}) };
  const rest = { kind: 'clip', ...kept, demo_url: '', extras: null, forgotten, rule } as const;
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
 * Returns the admission of a request's job. The third argument comes from the account and its key; `frames` and
 * `fallback` (minutes) are limits of the account.
 */
export function admissionOf(
  request: ValidRequest,
  kept: ClipRequest,
  {
    frames: most,
    fallback,
    renderer,
    ...given
  }: Omit<Admission, 'work' | 'webhook' | 'acceptable' | 'fallback' | 'renderer'> &
    Pick<LimitValues, 'frames' | 'fallback'> & { readonly renderer: Renderer },
  policy: DemoPolicy,
): Admission {
  const url = request.webhook_url;
  const fps = request.fps ?? DEFAULTS.fps;
  const frames = { asked: framesOf(selectionOf(kept), fps), most };
  return {
    ...given,
    ...withFallback(renderer, request.fallback ? fallback * MINUTE_MS : null),
    work: {
      kind: 'clip',
      fps,
      resolution: kept.resolution,
      ...(isOtherShape(kept) && { aspect: kept.aspect }),
      frames,
    },
    webhook: url === undefined ? null : { url, authHeader: request.webhook_auth_header ?? null },
    acceptable: isAcceptable(request, policy, given.isTest),
  };
}

/** Returns the admission of an inspection's job. Any renderer can read. */
export function inspectionAdmission(
  request: StoredInspection,
  { labels, isTest }: Pick<Admission, 'labels' | 'isTest'>,
  policy: DemoPolicy,
): Admission {
  const acceptable = isAcceptable(request, policy, isTest);
  const anyHost = { renderer: null, fallback: undefined, labels };
  return { priority: false, webhook: null, work: { kind: 'inspection' }, ...anyHost, acceptable, isTest };
}

/**
 * Whether a host may fetch the demo: from its address, as an upload, or as one that FACEIT signs. The host of a test job
 * fetches none.
 */
export function isAcceptable(
  { demo_url }: Pick<StoredRequest, 'demo_url'>,
  policy: DemoPolicy,
  isTest = false,
): boolean {
  if (isTest) return testEndOf(demo_url) !== 'demo_url_rejected';
  if (uploadIdIn(demo_url, policy.ownOrigins) !== null) return true;
  if (faceitDemo(demo_url) === null) return isAcceptableDemoUrl(demo_url, policy);
  return policy.faceit !== null && isAcceptableDemoUrl(demo_url, { ...policy, acceptedDomains: FACEIT_DOMAINS });
}

/** Returns the skills beyond rendering that a host needs for a job. */
export function skillsFor({ job, request }: RequestOfJob, policy: DemoPolicy): readonly Skill[] {
  const { skills } = traitsOf(job.work);
  const isHere = isAtGateway(request.demo_url, policy);
  const { shown, inspection } = byKind(request);
  const asked = { tracks: inspection?.replay, uploads: isHere, names: namesAsked(shown) };
  return [...skills, ...(['tracks', 'uploads', 'names'] as const).filter((skill) => asked[skill])];
}

/** What differs between the kinds of work in a stored request. */
interface RequestByKind {
  /** With the field names of the API. */
  readonly shown: KeptRequest & Partial<ClipRequest>;
  /** The rule that made the job; null for a client's job. */
  readonly rule: RuleOfJob | null;
  readonly selection: HostOrder['selection'];
  readonly clip: ClipRequest | null;
  /** The request of an inspection, else null. */
  readonly inspection: StoredInspection | null;
}

/** Returns the parts of a request that differ by its kind. Nothing else tests the kind of a request. */
export function byKind(request: StoredRequest): RequestByKind {
  switch (request.kind) {
    case 'clip': {
      const { kind: _kind, rule = null, ...shown } = request;
      return { shown, rule, selection: selectionOf(request), clip: request, inspection: null };
    }
    case 'inspection': {
      const { kind: _kind, ...kept } = request;
      const shown = { ...kept, inspect: true, resolution: NO_PICTURE.resolution, extras: null };
      return { shown, rule: null, selection: { mode: 'inspect' }, clip: null, inspection: request };
    }
  }
}

/** Whether a clip of so many seconds is longer than the request allows. */
export function isTooLong(request: StoredRequest | undefined, seconds: number): boolean {
  const clip = request && byKind(request).clip;
  return clip ? seconds > longestClip(selectionOf(clip)) : false;
}

/** Whether the names of players are shown against the request, by what the host reports. */
export function showsNames(request: StoredRequest | undefined, facts: ClipFacts | undefined): boolean {
  const clip = request && byKind(request).clip;
  return clip != null && namesAsked(clip) !== undefined && facts?.names !== 'hidden';
}

export function indexedRequest(request: StoredRequest, policy: AddressPolicy): IndexedRequest {
  const { selection, shown, rule, inspection } = byKind(request);
  const inspectedUpload = inspection && uploadIdIn(request.demo_url, policy.ownOrigins);
  const ruleRun = rule?.run ?? null;
  return { mode: selection.mode, fps: shown.fps ?? null, resolution: shown.resolution, ruleRun, inspectedUpload };
}

/** Returns the bytes of the JSON of a request, with the webhook's header. What an inspection has found is not counted. */
export function storedBytes({ request, job: { webhook } }: RequestOfJob): number {
  const { shown, clip } = byKind(request);
  return bytesOf(clip ? { ...shown, header: webhook?.authHeader } : { demo_url: request.demo_url });
}

/**
 * Returns the host's order, with the defaults of contract 4.1 and 2.5. The game's own HUD shows names, so a clip that
 * hides them has none.
 */
export function renderOrder({ job, request }: RequestOfJob): HostOrder {
  const { selection, shown } = byKind(request);
  const { fps, resolution, aspect } = traitsOf(job.work).picture;
  const names = namesAsked(shown);
  const hidesHud = names !== undefined && job.renderer === 'cs2';
  return {
    demoUrl: request.demo_url,
    selection,
    fps,
    resolution,
    aspect,
    xray: !hidesHud && (shown.commands?.spec_show_xray ?? DEFAULTS.xray) === '1',
    onlyDeathnotices: hidesHud || (shown.commands?.cl_draw_only_deathnotices ?? DEFAULTS.onlyDeathnotices) === '1',
    ownKillfeed: hidesHud || (shown.hud_killfeed ?? false),
    damageTicker: shown.hud_damage_ticker ?? false,
    thumbnailStyle: shown.thumbnail_style ?? DEFAULTS.thumbnailStyle,
    thumbnailTick: shown.thumbnail_tick,
    names,
    ...assetsAsked(shown),
    ...(hasFallenBack(job) ? { isFallback: true } : {}),
  };
}
