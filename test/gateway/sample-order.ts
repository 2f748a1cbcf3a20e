import { join } from 'node:path';
import { composeMatch, writeDemoFile } from '#demo-writer/index.ts';
import type { Candidate } from './stage.ts';

/** One kill: a clip of a second, five frames. */
const MATCH = composeMatch({
  rounds: [{ startTick: 64, endTick: 1200, winner: 'T' }],
  kills: [{ tick: 640, attacker: 1, victim: 6 }],
});

/** A small demo of our own, and an order for the one kill in it. */
export async function sampleOrder(folder: string): Promise<Pick<Candidate, 'demoPath' | 'order'>> {
  const demoPath = join(folder, 'match.dem');
  await writeDemoFile(MATCH, demoPath);
  return { demoPath, order: orderOf(MATCH.players[1]?.steamId ?? '') };
}

/** An order for the kills of a player. */
export function orderOf(steam64_id: string): Candidate['order'] {
  return {
    selection: { mode: 'round', steam64_id, round: null, pre_kill_padding: 0.5, post_kill_padding: 0.5 },
    ...{ fps: 5, resolution: 1080, spec_show_xray: false, cl_draw_only_deathnotices: true },
    ...{ hud_killfeed: false, hud_damage_ticker: false, thumbnail_style: 'full', watermark_image_id: null },
  };
}
