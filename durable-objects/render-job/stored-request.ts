import type { RenderOrder, Selection } from '../../domain/render-order.ts';
import type { ValidRequest } from '../../protocol/submit.ts';

/**
 * A request as the job keeps it: what the client sent, with `resolution` filled in. The auth header of the webhook is
 * a secret and lives with the webhook target; `force` says how to submit, not what to render.
 */
export type StoredRequest = Omit<ValidRequest, 'force' | 'webhook_auth_header'> & { resolution: 1080 | 1440 };

export const DEFAULT_FPS = 30;
const DEFAULT_RESOLUTION = 1080;
const DEFAULT_PRE_KILL_PADDING = 3;
const DEFAULT_POST_KILL_PADDING = 2;

export function storedRequest(request: ValidRequest): StoredRequest {
  const { force: _force, webhook_auth_header: _secret, ...kept } = request;
  return { ...kept, resolution: request.resolution ?? DEFAULT_RESOLUTION };
}

/** What the host is asked to make, with the defaults of spec 4.1 and 2.5. */
export function renderOrder(request: StoredRequest): RenderOrder {
  return {
    demoUrl: request.demo_url,
    selection: selection(request),
    fps: request.fps ?? DEFAULT_FPS,
    resolution: request.resolution,
    xray: request.commands?.spec_show_xray === '1',
    onlyDeathnotices: request.commands?.cl_draw_only_deathnotices !== '0',
    ownKillfeed: request.hud_killfeed ?? false,
    damageTicker: request.hud_damage_ticker ?? false,
    thumbnailStyle: request.thumbnail_style ?? 'full',
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
    steam64Id: request.steam64_id ?? '',
    round: request.round ?? null,
    preKillPadding: request.pre_kill_padding ?? DEFAULT_PRE_KILL_PADDING,
    postKillPadding: request.post_kill_padding ?? DEFAULT_POST_KILL_PADDING,
  };
}
