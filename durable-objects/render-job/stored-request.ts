import type { Job } from '../../domain/job.ts';
import type { Admission } from '../../domain/job-event.ts';
import type { Resolution } from '../../domain/picture.ts';
import { DEFAULTS, type RenderOrder, type Selection } from '../../domain/render-order.ts';
import { isAcceptableDemoUrl } from '../../protocol/demo-url.ts';
import type { ValidRequest } from '../../protocol/submit.ts';

/**
 * A request as the job keeps it: what the client sent, with `resolution` filled in. The auth header of the webhook is
 * a secret and lives with the webhook target; `force` says how to submit, not what to render.
 */
export type StoredRequest = WithoutSubmitting<ValidRequest> & { resolution: Resolution };
/** Of each mode by itself: `Omit` alone would make one of the two. */
type WithoutSubmitting<T> = T extends unknown ? Omit<T, 'force' | 'webhook_auth_header'> : never;

export function storedRequest(request: ValidRequest): StoredRequest {
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

/** JSON with the fields of each object by their names. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** What the request admits its job with. `given`: by the account and its key. */
export function admissionOf(
  request: ValidRequest,
  kept: StoredRequest,
  given: Pick<Admission, 'priority' | 'renderer' | 'labels'>,
  policy: Parameters<typeof isAcceptableDemoUrl>[1],
): Admission {
  const url = request.webhook_url;
  return {
    ...given,
    webhook: url === undefined ? null : { url, authHeader: request.webhook_auth_header ?? null },
    fps: request.fps ?? DEFAULTS.fps,
    resolution: kept.resolution,
    acceptable: isAcceptableDemoUrl(request.demo_url, policy),
  };
}

/** What the host is asked to make, with the defaults of contract 4.1 and 2.5. */
export function renderOrder(request: StoredRequest): RenderOrder {
  return {
    demoUrl: request.demo_url,
    selection: selection(request),
    fps: request.fps ?? DEFAULTS.fps,
    resolution: request.resolution,
    xray: (request.commands?.spec_show_xray ?? DEFAULTS.xray) === '1',
    onlyDeathnotices: (request.commands?.cl_draw_only_deathnotices ?? DEFAULTS.onlyDeathnotices) === '1',
    ownKillfeed: request.hud_killfeed ?? false,
    damageTicker: request.hud_damage_ticker ?? false,
    thumbnailStyle: request.thumbnail_style ?? DEFAULTS.thumbnailStyle,
    watermarkImageId: request.watermark_image_id ?? null,
  };
}

function selection(request: StoredRequest): Selection {
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
