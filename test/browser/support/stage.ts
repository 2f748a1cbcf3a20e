import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTickreel } from '#client/index.ts';
import { composeMatch, writeDemoFile } from '#demo-writer/index.ts';
import { createClipIds } from '#service/clip-ids.ts';
import { serveFile } from '#stack/serve-file.ts';
import { startStack } from '#stack/stack.ts';

/** Two kills a second apart: with two seconds around them, five seconds in all. */
const MATCH = composeMatch({
  rounds: [{ startTick: 64, endTick: 1200, winner: 'T' }],
  kills: [
    { tick: 640, attacker: 1, victim: 6, headshot: true },
    { tick: 704, attacker: 1, victim: 7 },
  ],
});

/** What the browser tests look at. */
export interface Stage {
  readonly baseUrl: string;
  readonly meteredKey: string;
  /** A recorded match, as a file: a double kill in one round. */
  readonly demoPath: string;
  readonly adminToken: string;
  /** Five seconds of 1080p at 10 frames a second, unless told otherwise. */
  readonly clipId: string;
  /** A short one of the same moment. */
  readonly otherId: string;
  readonly deletedId: string;
  /** Of a job that waits for its retry. */
  readonly waitingClipId: string;
}

/**
 * Runs the service with a render host, and has it render a clip to look at and one that is deleted. `padding`: seconds
 * around the kills.
 */
export async function startStage({ fps = 10, padding = 2 } = {}): Promise<{ stage: Stage; stop(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tickreel-browser-'));
  const path = join(dataDir, 'match.dem');
  await writeDemoFile(MATCH, path);
  const demo = await serveFile(path);
  const stack = await startStack({ port: 0, dataDir, hosts: 1, timeScale: 1, logLevel: 'silent' });
  const client = createTickreel({ baseUrl: stack.baseUrl, apiKey: stack.credentials.metered_key });
  const request = { demo_url: demo.url, steam64_id: MATCH.players[1]?.steamId ?? '', round: 1 };
  const render = async (rate: number, around: number) => {
    const order = { ...request, fps: rate, pre_kill_padding: around, post_kill_padding: around };
    return (await client.clips.render(order)).id;
  };
  await client.viewing.change({ show_more: true });
  const deletedId = await render(5, 0.5);
  await client.clips.delete(deletedId);
  const otherId = await render(5, 0.5);
  const clipId = await render(fps, padding);
  const { jobId } = await client.clips.submit({ ...request, demo_url: 'http://127.0.0.1:1/closed.dem' });
  // The clip's page exists once a host has claimed the job.
  for await (const { status } of client.jobs.watch(jobId)) if (status !== 'pending') break;
  return {
    stage: {
      baseUrl: stack.baseUrl,
      meteredKey: stack.credentials.metered_key,
      adminToken: stack.credentials.admin_token,
      demoPath: path,
      clipId,
      otherId,
      deletedId,
      waitingClipId: await createClipIds(stack.credentials.clip_id_secret).clipIdOf(jobId),
    },
    stop: async () => {
      await stack.stop();
      await demo.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
