import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { HostInspection } from '#protocol/demos.ts';
import type { Grant } from '#protocol/gateway.ts';
import type { Stack } from '#stack/stack.ts';
import { hostAt, type Made } from '../../support/test-host.ts';

const ffmpeg: string = createRequire(import.meta.url)('@ffmpeg-installer/ffmpeg').path;
const IDLE_MS = 100;

/** Makes the files of a clip: five seconds of a test picture and a tone, at 10 frames a second. */
export async function makeClip(folder: string, facts: Made['facts']): Promise<Made> {
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

/** Runs a host that completes each job with one stored clip, and each inspection with one stored result. */
export function startClipHost({ baseUrl, credentials }: Stack, made: Made, found: HostInspection) {
  const host = hostAt(baseUrl, credentials.host_token);
  let isStopped = false;
  const work = async (grant: Grant): Promise<void> => {
    const { selection, demo_url } = grant.order;
    if (selection.mode === 'inspect') await host.report(grant, 'inspected', { demo: found });
    else if (demo_url.endsWith('/closed.dem')) await host.fail(grant, 'download_error');
    else await host.complete(grant, made);
  };
  const run = async () => {
    while (!isStopped) {
      const grant = await host.claim({ skills: ['uploads', 'inspect'] }, 1);
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
