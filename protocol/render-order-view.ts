import * as z from 'zod';
import type { RenderOrder } from '../domain/render-order.ts';

const steam64Id = z.string().meta({ description: 'The player to follow.' });

const Segment = z
  .object({
    steam64Id,
    startTick: z.int().meta({ description: 'First tick.' }),
    endTick: z.int().meta({ description: 'Last tick.' }),
  })
  .meta({ id: 'OrderedSegment', description: 'A range of ticks, seen by one player.' });

const Kills = z
  .object({
    mode: z.literal('round'),
    steam64Id,
    round: z.int().nullable().meta({ description: 'null: every round of the demo.' }),
    preKillPadding: z.number().meta({ description: 'Seconds before each kill.' }),
    postKillPadding: z.number().meta({ description: 'Seconds after each kill.' }),
  })
  .meta({ id: 'KillSelection', description: "A player's kills." });

const Timeline = z
  .object({ mode: z.literal('timeline'), segments: z.array(Segment).readonly() })
  .meta({ id: 'TimelineSelection', description: 'Ranges of ticks.' });

/** An order (domain/render-order.ts) as it travels to a host. */
export const RenderOrderView = z
  .object({
    demoUrl: z.string().meta({ description: 'Where the demo, or an archive that holds it, lies.' }),
    selection: z.discriminatedUnion('mode', [Kills, Timeline]).meta({ description: 'Which moments of the match.' }),
    fps: z.int().meta({ description: 'Frames a second.' }),
    resolution: z.union([z.literal(1080), z.literal(1440)]).meta({ description: 'Height of the picture in pixels.' }),
    xray: z.boolean().meta({ description: '`spec_show_xray`.' }),
    onlyDeathnotices: z.boolean().meta({ description: '`cl_draw_only_deathnotices`.' }),
    ownKillfeed: z.boolean().meta({ description: '`hud_killfeed`.' }),
    damageTicker: z.boolean().meta({ description: '`hud_damage_ticker`.' }),
    thumbnailStyle: z.enum(['full', 'killfeed', 'none']).meta({ description: '`thumbnail_style`.' }),
    watermarkImageId: z.uuid().nullable().meta({ description: '`watermark_image_id`.' }),
  })
  .meta({
    id: 'RenderOrder',
    description: 'What to make, with every default filled in.',
  }) satisfies z.ZodType<RenderOrder>;
