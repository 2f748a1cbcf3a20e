import * as z from 'zod';
import { ASPECTS, type HostOrder, RESOLUTIONS, type RenderOrder, type Selection } from '#domain/clip/render-order.ts';
import * as field from '../lib/fields.ts';
import { assetsAsked, selectionOf } from './submit.ts';

const steam64_id = field.text('Steam id of the player to follow.');

const kill_slowdown = field.numberOrNull('Speed of the game around each kill. Null for real time.');
const asset = (description: string) => field.uuidOrNull(`${description}. Null for none.`);

const Segment = z
  .object({
    steam64_id,
    start_tick: field.integer('First tick of the segment.'),
    end_tick: field.integer('Last tick of the segment.'),
    speed: field.number('Speed of the game. 1 is real time.'),
  })
  .meta({ id: 'OrderedSegment', description: 'A range of ticks, seen by one player.' });

const Kills = z
  .object({
    mode: z.literal('round'),
    steam64_id,
    round: field.integerOrNull('The round to show. Null for every round of the demo.'),
    pre_kill_padding: field.number('Seconds before each kill.'),
    post_kill_padding: field.number('Seconds after each kill.'),
    pov: z.enum(['killer', 'victim', 'both']).describe('The player whose view of each kill is shown.'),
    merge_gap: field.number('Maximum seconds between two windows that stay in one shot.'),
    kill_slowdown,
  })
  .meta({ id: 'KillSelection', description: 'The kills of a player.' });

const Timeline = z
  .object({ mode: z.literal('timeline'), segments: z.array(Segment).readonly(), kill_slowdown })
  .meta({ id: 'TimelineSelection', description: 'A list of ranges of ticks.' });

const Inspect = z.object({ mode: z.literal('inspect') }).meta({
  id: 'NoSelection',
  description:
    'An inspection: report the contents of the demo with `POST /gateway/v1/jobs/:id/inspected`. The other fields of the order have no effect. Only hosts with the skill `inspect` get it.',
});

const SelectionView = z
  .discriminatedUnion('mode', [Kills, Timeline, Inspect])
  .describe('The moments of the match to show.');

/** An order (core/domain/clip/render-order.ts) as hosts get it, with the names of the submit. */
export const RenderOrderView = z
  .object({
    demo_url: field.text('The address of the demo, or of an archive of it.'),
    selection: SelectionView,
    fps: field.integer('Frame rate in frames a second.'),
    resolution: z.literal(RESOLUTIONS).describe('Shorter side of the picture in pixels.'),
    aspect: z
      .enum(ASPECTS)
      .optional()
      .describe('Shape of the picture, for hosts with the skill `aspect`. Left out for 16:9.'),
    spec_show_xray: field.flag('Whether to show players whom the followed player cannot see.'),
    cl_draw_only_deathnotices: field.flag('Whether to hide the HUD except for the killfeed.'),
    hud_killfeed: field.flag('Whether to draw our own killfeed, with the kills of the followed player only.'),
    hud_damage_ticker: field.flag('Whether to draw damage numbers near the crosshair.'),
    thumbnail_style: z.enum(['full', 'killfeed', 'none']).describe('The overlay of the thumbnail.'),
    thumbnail_tick: field
      .integer('Tick that the thumbnail shows if a shot has it. Left out for the best moment.')
      .optional(),
    names: z
      .record(z.string(), z.string())
      .optional()
      .describe(
        'Texts by Steam id that replace the names of players wherever the clip shows or names them. All others are `Player 1` and so on, by their place in the match. Left out for the names of the match. Only hosts with the skill `names` get it.',
      ),
    watermark_image_id: asset('Id of the image to put on the clip'),
    intro_asset_id: asset('Id of the image to show first'),
    outro_asset_id: asset('Id of the image to show last'),
    title_card: field.flag("Whether to show a card with the clip's title before the shots."),
    card_seconds: field.number('Length of each card in seconds.'),
    music_asset_id: asset('Id of the music under the clip'),
    is_fallback: z
      .literal(true)
      .optional()
      .describe('Whether to draw the clip without the game, because no host can play this demo in the game.'),
  })
  .meta({ id: 'RenderOrder', description: 'The clip to make, with every default filled in.' });
type RenderOrderView = z.infer<typeof RenderOrderView>;

export function renderOrderView(order: HostOrder): RenderOrderView {
  return {
    demo_url: order.demoUrl,
    selection: selectionView(order.selection),
    fps: order.fps,
    resolution: order.resolution,
    ...(order.aspect && { aspect: order.aspect }),
    spec_show_xray: order.xray,
    cl_draw_only_deathnotices: order.onlyDeathnotices,
    hud_killfeed: order.ownKillfeed,
    hud_damage_ticker: order.damageTicker,
    thumbnail_style: order.thumbnailStyle,
    ...(order.thumbnailTick !== undefined && { thumbnail_tick: order.thumbnailTick }),
    ...(order.names && { names: order.names }),
    watermark_image_id: order.watermarkImageId,
    intro_asset_id: order.introAssetId,
    outro_asset_id: order.outroAssetId,
    music_asset_id: order.musicAssetId,
    title_card: order.titleCard,
    card_seconds: order.cardSeconds,
    ...(order.isFallback ? { is_fallback: true as const } : {}),
  };
}

/** Returns the order; null for an inspection. */
export function readRenderOrder(view: RenderOrderView): RenderOrder | null {
  const { selection } = view;
  if (selection.mode === 'inspect') return null;
  return {
    demoUrl: view.demo_url,
    selection: readSelection(selection),
    fps: view.fps,
    resolution: view.resolution,
    aspect: view.aspect,
    xray: view.spec_show_xray,
    onlyDeathnotices: view.cl_draw_only_deathnotices,
    ownKillfeed: view.hud_killfeed,
    damageTicker: view.hud_damage_ticker,
    thumbnailStyle: view.thumbnail_style,
    thumbnailTick: view.thumbnail_tick,
    names: view.names,
    ...assetsAsked(view),
    ...(view.is_fallback ? { isFallback: true } : {}),
  };
}

function selectionView(selection: HostOrder['selection']): RenderOrderView['selection'] {
  if (selection.mode === 'inspect') return selection;
  if (selection.mode === 'round') {
    const { mode, steam64Id, round, preKillPadding, postKillPadding, pov, mergeGap } = selection;
    const seconds = { pre_kill_padding: preKillPadding, post_kill_padding: postKillPadding, merge_gap: mergeGap };
    return { mode, steam64_id: steam64Id, round, ...seconds, pov, kill_slowdown: selection.killSlowdown };
  }
  const segments = selection.segments.map(({ steam64Id, startTick, endTick, speed }) => ({
    steam64_id: steam64Id,
    start_tick: startTick,
    end_tick: endTick,
    speed,
  }));
  return { mode: selection.mode, segments, kill_slowdown: selection.killSlowdown };
}

function readSelection(view: Exclude<RenderOrderView['selection'], { mode: 'inspect' }>): Selection {
  const kill_slowdown = view.kill_slowdown ?? undefined;
  return view.mode === 'round'
    ? selectionOf({ ...view, round: view.round ?? undefined, kill_slowdown })
    : selectionOf({ timeline: [...view.segments], kill_slowdown });
}
