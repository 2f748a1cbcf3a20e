import { NO_CARDS_VIEW, PLAIN_KILLS_VIEW } from '#test/support/plain-order.ts';
import { SHORT_CLIP, writeShortDemo } from '../support/short-demo.ts';
import type { Candidate } from './stage.ts';

/** Writes a small demo and returns an order for the kills in it. */
export async function sampleOrder(folder: string): Promise<Pick<Candidate, 'demoPath' | 'order'>> {
  return { demoPath: await writeShortDemo(folder), order: orderOf(SHORT_CLIP.steam64_id) };
}

/** Returns an order for the kills of a player. */
export function orderOf(steam64_id: string): Candidate['order'] {
  return {
    selection: { ...PLAIN_KILLS_VIEW, steam64_id, round: null, pre_kill_padding: 0.5, post_kill_padding: 0.5 },
    ...{ fps: 5, resolution: 1080, spec_show_xray: false, cl_draw_only_deathnotices: true },
    ...{ hud_killfeed: false, hud_damage_ticker: false, thumbnail_style: 'full', watermark_image_id: null },
    ...NO_CARDS_VIEW,
  };
}
