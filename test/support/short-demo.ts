import { join } from 'node:path';
import { composeMatch, writeDemoFile } from '#demo-writer/index.ts';
import { serveFile } from '#stack/listen.ts';

/** One round with two kills of one player, one second apart. */
export const SHORT_MATCH = composeMatch({
  rounds: [{ startTick: 64, endTick: 1200, winner: 'T' }],
  kills: [
    { tick: 640, attacker: 1, victim: 6, headshot: true },
    { tick: 704, attacker: 1, victim: 7 },
  ],
});
const [, killer] = SHORT_MATCH.players;

/** The fields of a request for both kills: two seconds, ten frames. */
export const SHORT_CLIP = {
  steam64_id: killer?.steamId ?? '',
  fps: 5,
  pre_kill_padding: 0.5,
  post_kill_padding: 0.5,
};

/** Writes a demo of the match into a folder and returns its path. */
export async function writeShortDemo(folder: string): Promise<string> {
  const path = join(folder, 'match.dem');
  await writeDemoFile(SHORT_MATCH, path);
  return path;
}

/** Writes the demo into a folder and serves it on loopback. `request` is for a clip of both kills. */
export async function serveShortDemo(folder: string) {
  const path = await writeShortDemo(folder);
  const { url, stop } = await serveFile(path);
  return { path, request: { demo_url: url, ...SHORT_CLIP }, stop };
}
