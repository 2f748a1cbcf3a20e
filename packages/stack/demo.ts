import { access, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, parse, resolve } from 'node:path';
import { demoLine, highlightTable, partTable, playerTable, roundTable } from '#client/cli/demo-tables.ts';
import { showProgress } from '#client/cli/follow-job.ts';
import { bestRequest } from '#client/demos.ts';
import { type Clip, createTickreel, type SubmitRequest, type Tickreel } from '#client/index.ts';
import type { HostInspection } from '#protocol/demo/demos.ts';
import { decompressDemo } from '#render-host/decompress/decompress-demo.ts';
import { demoView } from '#render-host/match/demo-view.ts';
import { inspectMatch } from '#render-host/match/inspect-match.ts';
import { parseDemo } from '#render-host/match/parse-demo.ts';
import { serveFile } from './listen.ts';
import { aborted, stopSignal } from './processes.ts';
import { writeSample } from './sample.ts';
import { startStack } from './stack.ts';

export interface DemoOptions {
  readonly demo?: string;
  readonly player?: string;
  readonly round?: number;
  readonly best?: number;
  readonly fps?: number;
  readonly resolution?: number;
  readonly out?: string;
  readonly once: boolean;
  readonly port: number;
  readonly data?: string;
}

/** A demo, and the clips to make of it. */
interface Moments {
  readonly path: string;
  readonly clips: readonly Pick<SubmitRequest, 'steam64_id' | 'round' | 'timeline' | 'merge_gap'>[];
}

/** Runs the whole service on this machine and makes a clip. Rejects with an Error that says what failed. */
export async function runDemo(options: DemoOptions): Promise<void> {
  const dataDir = options.data ? resolve(options.data) : await mkdtemp(join(tmpdir(), 'tickreel-demo-'));
  try {
    await mkdir(dataDir, { recursive: true });
    const isChosen = options.player !== undefined || options.best !== undefined;
    if (options.demo && !isChosen) await listMoments(options.demo, dataDir);
    else await renderAndServe(options, dataDir);
  } finally {
    if (!options.data) await rm(dataDir, { recursive: true, force: true });
  }
}

async function listMoments(demo: string, dataDir: string): Promise<void> {
  const found = await inspect(demo, dataDir);
  const tables = [demoLine(found), roundTable(found), partTable(found), playerTable(found), highlightTable(found)];
  say(`${tables.filter(Boolean).join('\n\n')}\n`);
  if (found.highlights.length > 0) say(`  The best: npm run demo -- --demo ${demo} --best 1`);
  say(`  A player: npm run demo -- --demo ${demo} --player STEAM_ID [--round N]\n`);
}

async function inspect(demo: string, dataDir: string): Promise<HostInspection> {
  await requireFile(demo);
  const workDir = await mkdtemp(join(dataDir, 'inspect-'));
  try {
    return await inspectDemo(demo, workDir);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

/** Inspects a demo, compressed or not. Throws an Error that says why it cannot be read. */
export async function inspectDemo(demoFile: string, workDir: string): Promise<HostInspection> {
  const { signal } = new AbortController();
  const path = join(workDir, 'listed');
  await copyFile(demoFile, path);
  const unpacked = await decompressDemo({ path, workDir, signal });
  if (!unpacked.ok) throw new Error(`${unpacked.code}: ${unpacked.detail}`);
  const parsed = await parseDemo({ demoPath: unpacked.demoPath, workDir, signal });
  if (!parsed.ok) throw new Error(`${parsed.code}: ${parsed.detail}`);
  return demoView(inspectMatch(parsed.match));
}

async function renderAndServe(options: DemoOptions, dataDir: string): Promise<void> {
  const stop = stopSignal();
  const { fps } = options;
  // The service checks the value and says what is allowed.
  const resolution = options.resolution as SubmitRequest['resolution'];
  const moments = await chooseMoments(options, dataDir);
  say('  Starting the service and a render host, the radar: it draws the match from above …');
  const stack = await startStack({ port: options.port, dataDir, hosts: 1, timeScale: 1, logLevel: 'error' });
  try {
    const demo = await serveFile(moments.path);
    try {
      const client = createTickreel({ baseUrl: stack.baseUrl, apiKey: stack.credentials.metered_key });
      for (const [at, wanted] of moments.clips.entries()) {
        const clip = await renderClip(client, { demo_url: demo.url, ...wanted, fps, resolution }, stop);
        await present(client, clip, options, at);
      }
    } finally {
      await demo.stop();
    }
    if (isServing(options)) {
      say('  Serving until Ctrl-C.');
      await aborted(stop);
    }
  } catch (error) {
    // Ctrl-C reaches each process at once, so errors after it are not reported.
    stop.throwIfAborted();
    throw error;
  } finally {
    await stack.stop();
  }
}

/** Chooses what to render: of the user's demo, or the highlight of the sample. */
async function chooseMoments(options: DemoOptions, dataDir: string): Promise<Moments> {
  const { demo, player, round, best } = options;
  if (demo && player) {
    await requireFile(demo);
    return { path: resolve(demo), clips: [{ steam64_id: player, round }] };
  }
  if (demo && best !== undefined) {
    const { highlights } = await inspect(demo, dataDir);
    if (highlights.length === 0) throw new Error('There are no highlights in this demo.');
    return { path: resolve(demo), clips: highlights.slice(0, best).map(({ request }) => bestRequest(request)) };
  }
  const sample = await writeSample(dataDir);
  return { path: sample.path, clips: [{ steam64_id: sample.player, round: sample.round }] };
}

/** Submits the job and follows it. Throws an Error that says why there is no clip. */
async function renderClip(client: Tickreel, request: SubmitRequest, stop: AbortSignal): Promise<Clip> {
  stop.throwIfAborted();
  const progress = showProgress(process.stderr);
  try {
    return await client.clips.render(request, { onProgress: progress.update, signal: stop });
  } finally {
    progress.stop();
  }
}

/** Whether the clip is served until Ctrl-C. With a file the command ends, so that a script can continue. */
function isServing({ once, out }: DemoOptions): boolean {
  return !once && out === undefined;
}

/** Shows a clip. Saves it as `clip.mp4`, and the second of several as `clip-2.mp4`. */
async function present({ clips }: Tickreel, clip: Clip, options: DemoOptions, at: number): Promise<void> {
  const urls = clips.urls(clip.id);
  const megabytes = (Number(clip.size) / 1e6).toFixed(1);
  say(`\n  ${clip.title}`);
  say(`  ${clip.duration_seconds.toFixed(1)} s, ${clip.resolution}p at ${clip.fps} fps, ${megabytes} MB\n`);
  if (options.out !== undefined) {
    const { dir, name, ext } = parse(options.out);
    const file = at === 0 ? options.out : join(dir, `${name}-${at + 1}${ext}`);
    await clips.downloadTo(clip.id, file);
    say(`  Saved   ${file}\n`);
  }
  if (isServing(options)) say(`  Watch   ${urls.page}\n  Embed   ${urls.embed}\n  Video   ${urls.video}\n`);
}

async function requireFile(path: string): Promise<void> {
  await access(path).catch(() => {
    throw new Error(`There is no file ${path}.`);
  });
}

function say(line: string): void {
  console.log(line);
}
