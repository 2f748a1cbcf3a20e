import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createCanvas } from '@napi-rs/canvas';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startGame } from '#render-host/capture/cs2/game/game-process.ts';
import { decodeFrames } from '#render-host/capture/cs2/recording/footage-files.ts';
import { encodeClip } from '#render-host/encode/encode-clip.ts';
import { findFfmpeg } from '#render-host/encode/ffmpeg.ts';
import { childEnvironment } from '#render-host/machine/program.ts';
import { parseDemo } from '#render-host/match/parse-demo.ts';
import { decodeImage } from '#render-host/overlays/watermark.ts';
import { composedDemo } from '../match/real-demos.ts';

const SECRETS = {
  TICKREEL_HOST_TOKEN: 'tr_host_secret',
  TICKREEL_TOKEN: 'tr_secret',
  AWS_SECRET_ACCESS_KEY: 'aws-secret',
  NPM_TOKEN: 'npm-secret',
};
const { signal } = new AbortController();

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'environment-'));
  for (const [name, value] of Object.entries(SECRETS)) vi.stubEnv(name, value);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

/** Returns a program that writes its environment to a file next to it, and fails. */
async function teller(): Promise<{ path: string; told: () => Promise<string> }> {
  const path = join(folder, 'program');
  await writeFile(path, `#!/bin/sh\nenv > "$0.env.new"\nmv "$0.env.new" "$0.env"\nexit 1\n`);
  await chmod(path, 0o755);
  return { path, told: () => readFile(`${path}.env`, 'utf8') };
}

function expectNoSecrets(environment: string): void {
  for (const secret of Object.values(SECRETS)) expect(environment).not.toContain(secret);
}

describe('no secret of the host is in the environment of', () => {
  test('ffmpeg that is probed', async () => {
    const { path, told } = await teller();
    await expect(findFfmpeg({ FFMPEG_PATH: path })).rejects.toThrow('no ffmpeg');
    expect(await told()).toContain('PATH=');
    expectNoSecrets(await told());
  });

  test('ffmpeg that encodes', async () => {
    const { path, told } = await teller();
    const frame = new Uint8Array(64);
    const source = {
      frameCount: 1,
      frame: async () => frame,
      frames: async function* () {
        yield frame;
      },
    };
    const ffmpeg = { path, version: '', encoder: { name: 'x', args: () => [] }, fallback: null };
    await encodeClip({ ffmpeg, source, width: 4, height: 4, fps: 5, outPath: join(folder, 'clip.mp4'), signal });
    expectNoSecrets(await told());
  });

  test('ffmpeg that decodes footage', async () => {
    const { path, told } = await teller();
    const frames = decodeFrames({ ffmpegPath: path, path: 'none', width: 4, height: 4, limit: 1 }, signal);
    await expect(frames.next()).rejects.toThrow('ended with code 1');
    expectNoSecrets(await told());
  });

  test('the game', async () => {
    const { path, told } = await teller();
    const game = startGame([path], [], 'program');
    onTestFinished(() => game.kill());
    await vi.waitFor(async () => expect(await told()).toContain('PATH='), { timeout: 30_000 });
    expectNoSecrets(await told());
  });

  test.runIf(process.platform === 'linux')('the parser', async () => {
    const demoPath = await composedDemo({ lastTick: 8000 });
    const seen: string[] = [];
    const onProgress = () => void seen.push(...environmentsOf('parse-child'));
    await parseDemo({ demoPath, workDir: dirname(demoPath), signal, onProgress });
    expect(seen.length).toBeGreaterThan(0);
    for (const environment of seen) expectNoSecrets(environment);
  });

  test.runIf(process.platform === 'linux')('the process that decodes an image', async () => {
    const image = createCanvas(3000, 3000).toBuffer('image/png');
    const seen: string[] = [];
    const watch = setInterval(() => seen.push(...environmentsOf('image-child')), 5);
    await decodeImage(image, { width: 1920, height: 1080 }, tmpdir());
    clearInterval(watch);
    expect(seen.length).toBeGreaterThan(0);
    for (const environment of seen) expectNoSecrets(environment);
  });
});

/** Returns the environments of the children of this process whose command names `program`. */
function environmentsOf(program: string): string[] {
  const read = (path: string): string => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return '';
    }
  };
  const lists = readdirSync('/proc/self/task').map((task) => read(`/proc/self/task/${task}/children`));
  const pids = lists.flatMap((list) => list.split(' ').filter(Boolean));
  return pids
    .filter((pid) => read(`/proc/${pid}/cmdline`).includes(program))
    .map((pid) => `${read(`/proc/${pid}/environ`)}\0`);
}

test('programs get paths, the desktop and the GPU, and nothing else', () => {
  const own = { Path: 'C:\\', SystemRoot: 'C:\\Windows', DISPLAY: ':0', LC_ALL: 'C', XDG_RUNTIME_DIR: '/run' };
  expect(childEnvironment({ ...own, ...SECRETS, NODE_OPTIONS: '--inspect', LD_PRELOAD: 'x' })).toEqual(own);
});

test('the container serves its metrics only to itself by default', async () => {
  const deploy = new URL('../../../../tools/deploy/render-host/', import.meta.url);
  expect(await readdir(deploy)).toContain('Containerfile');
  const lines = (await readFile(new URL('Containerfile', deploy), 'utf8'))
    .split('\n')
    .filter((line) => !/^#/.test(line));
  expect(lines.join('\n')).toContain('TICKREEL_METRICS_PORT');
  expect(lines.join('\n')).not.toContain('TICKREEL_METRICS_ADDRESS');
});
