import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createTickreel } from '#client/index.ts';
import { SKILLS } from '#domain/host/need.ts';
import type { HostInspection } from '#protocol/demo/demos.ts';
import type { Grant } from '#protocol/host/gateway.ts';
import { demoView } from '#render-host/match/demo-view.ts';
import { inspectMatch } from '#render-host/match/inspect-match.ts';
import { parseDemo } from '#render-host/match/parse-demo.ts';
import { walkedCells } from '#scene/match/levels.ts';
import { type Stack, startStack } from '#stack/stack.ts';
import { announced, hostAt, type Made } from '#test/support/test-host.ts';
import { writeTracks } from '#tracks/file.ts';
import { SHORT_MATCH, serveShortDemo } from '../../support/short-demo.ts';

const ffmpeg: string = createRequire(import.meta.url)('@ffmpeg-installer/ffmpeg').path;
const IDLE_MS = 100;

/** Makes the files of a clip: five seconds of a test picture and a tone, at 10 frames a second. */
async function makeClip(folder: string, facts: Made['facts']): Promise<Made> {
  const names = ['video.mp4', 'thumbnail.jpg', 'storyboard.jpg'];
  const [video = '', thumbnail = '', storyboard = ''] = names.map((name) => join(folder, name));
  await promisify(execFile)(ffmpeg, [
    ...['-loglevel', 'error', '-f', 'lavfi', '-i', 'testsrc=s=640x360:r=10:d=5', '-f', 'lavfi', '-i', 'sine=d=5'],
    ...['-pix_fmt', 'yuv420p', '-movflags', '+faststart', video],
    ...['-map', '0:v', '-frames:v', '1', thumbnail],
    ...['-map', '0:v', '-vf', 'fps=2,scale=256:144,tile=6x2', '-frames:v', '1', storyboard],
  ]);
  const bytes = async (path: string) => new Uint8Array(await readFile(path));
  const files = { video: await bytes(video), thumbnail: await bytes(thumbnail), storyboard: await bytes(storyboard) };
  return { ...files, rows: 2, duration: 5, facts };
}

/** What a host finds in a demo. */
export interface FoundDemo {
  readonly found: HostInspection;
  readonly tracks: Uint8Array<ArrayBuffer>;
}

/** Reads a demo as a render host does. */
async function readDemo(demoPath: string, workDir: string): Promise<FoundDemo> {
  const parsed = await parseDemo({ demoPath, workDir, signal: new AbortController().signal });
  if (!parsed.ok) throw new Error(`${parsed.code}: ${parsed.detail}`);
  const { match } = parsed;
  const tracks = await writeTracks(match, walkedCells(match, Infinity));
  return { found: demoView(inspectMatch(match)), tracks };
}

/** Runs a host that completes each job with one stored clip, and each inspection with one stored result. */
function startClipHost({ baseUrl, credentials }: Stack, made: Made, { found, tracks }: FoundDemo) {
  const host = hostAt(baseUrl, credentials.host_token);
  let isStopped = false;
  const work = async (grant: Grant): Promise<void> => {
    const { selection, demo_url } = grant.order;
    if (selection.mode === 'inspect' && grant.optional_files.includes('tracks')) {
      await host.upload(grant, 'tracks', tracks);
      await host.report(grant, 'inspected', { demo: found, tracks: await announced(tracks) });
    } else if (selection.mode === 'inspect') await host.report(grant, 'inspected', { demo: found });
    else if (demo_url.endsWith('/closed.dem')) await host.fail(grant, 'download_error');
    else await host.complete(grant, made);
  };
  const run = async () => {
    while (!isStopped) {
      const grant = await host.claim({ skills: SKILLS }, 1);
      if (grant && (await host.begin(grant))) await work(grant);
      // The claim of a host on hold is answered at once.
      else await delay(IDLE_MS);
    }
  };
  const over = run();
  return {
    async stop() {
      isStopped = true;
      await over;
    },
  };
}

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
