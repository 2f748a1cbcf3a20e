import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTickreel } from '#client/index.ts';
import { startStack } from '#stack/stack.ts';
import { SHORT_MATCH, serveShortDemo } from '../../support/short-demo.ts';
import { makeClip, readDemo, startClipHost } from './clip-host.ts';

/** The service and the clips of the browser tests. */
export interface Stage {
  readonly baseUrl: string;
  readonly meteredKey: string;
  /** A recorded match, as a file: a double kill in one round. */
  readonly demoPath: string;
  readonly adminToken: string;
  /** Five seconds at 10 frames a second. */
  readonly clipId: string;
  /** Another one of the same moment. */
  readonly otherId: string;
  readonly deletedId: string;
  /** The demo of the clips, and the page of its replay. */
  readonly demoUrl: string;
  readonly replayUrl: string;
}

const FPS = 10;
const FACTS = { kills: 2, players: [SHORT_MATCH.players[1]?.name ?? ''], map: SHORT_MATCH.map, round: 1 };

/** Runs the service with a host that has one stored clip for all jobs. */
export async function startStage(): Promise<{ stage: Stage; stop(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tickreel-browser-'));
  const demo = await serveShortDemo(dataDir);
  const stack = await startStack({ port: 0, dataDir, hosts: 0, timeScale: 1, logLevel: 'silent' });
  const host = startClipHost(stack, await makeClip(dataDir, FACTS), await readDemo(demo.path, dataDir));
  const client = createTickreel({ baseUrl: stack.baseUrl, apiKey: stack.credentials.metered_key });
  const request = { ...demo.request, round: 1 };
  await client.viewing.change({ show_more: true });
  const { id: deletedId } = await client.clips.render(request);
  await client.clips.delete(deletedId);
  const { id: otherId } = await client.clips.render(request);
  const { id: clipId } = await client.clips.render({ ...request, fps: FPS });
  const { replay_url } = await client.demos.inspect(request.demo_url, { replay: true });
  return {
    stage: {
      baseUrl: stack.baseUrl,
      meteredKey: stack.credentials.metered_key,
      adminToken: stack.credentials.admin_token,
      demoPath: demo.path,
      clipId,
      otherId,
      deletedId,
      demoUrl: request.demo_url,
      replayUrl: replay_url ?? '',
    },
    stop: async () => {
      await host.stop();
      await stack.stop();
      await demo.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
