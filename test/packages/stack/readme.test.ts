import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { createSampleMatch, truthOf } from '#demo-writer/index.ts';
import { bareEnvironment } from '#render-host/machine/child-environment.ts';
import { PROJECT_ROOT } from '#stack/project-root.ts';
import { serveSample, writeSample } from '#stack/sample.ts';
import { freePort } from '#stack/service.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'readme-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns the commands under "Through the API". */
async function firstCommands(): Promise<string[]> {
  const text = await readFile(join(PROJECT_ROOT, 'README.md'), 'utf8');
  const [section = ''] = text.split('## Through the API\n')[1]?.split('\n## ') ?? [];
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands = '']) => commands);
}

it('the commands of the README, as they are, make a clip of the sample demo', async () => {
  const folder = await newFolder();
  // A checkout with its own `.data`.
  for (const name of ['core', 'migrations', 'node_modules', 'package.json', 'packages', 'src', 'wrangler.toml']) {
    await symlink(join(PROJECT_ROOT, name), join(folder, name));
  }
  const [start = '', submit = '', follow = ''] = await firstCommands();
  // Another port, and a small video.
  const port = await freePort(0);
  const stack = spawn('sh', ['-c', `exec ${start.replace('8787', String(port))}`], {
    cwd: folder,
    env: { ...bareEnvironment(), PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  onTestFinished(() => ended(stack));
  const [line] = await new Promise<string[]>((resolve) =>
    createInterface(stack.stdout).once('line', (...args) => resolve(args)),
  );
  const { base_url, sample_demo_url } = JSON.parse(line ?? '');
  expect(submit).toContain('"http://127.0.0.1:18787/sample.dem"');
  const script = `${submit}\n${follow}`
    .replace('http://127.0.0.1:18787/sample.dem', sample_demo_url)
    .replaceAll('http://127.0.0.1:8787', base_url)
    .replace('"round"', '"fps": 5, "pre_kill_padding": 0.5, "post_kill_padding": 0.5, "round"');
  const out = await new Promise<string>((resolve, reject) => {
    const env = { ...bareEnvironment(), PATH: process.env.PATH, HOME: folder };
    execFile('sh', ['-e', '-c', script], { cwd: folder, env }, (error, printed) =>
      error ? reject(error) : resolve(printed),
    );
  });
  expect(out).toMatch(/"status":\s*"done"/);
  const [page = ''] = /http:\/\/[^"]+\/clips\/[\w-]+(?=")/.exec(out) ?? [];
  expect(await (await fetch(page)).text()).toContain('From above (drawn)');
});

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  process.kill(-(child.pid ?? Number.NaN), 'SIGTERM');
  await closed;
}

it('names the player and the round with the most kills of the sample', async () => {
  const match = createSampleMatch();
  const { kills, rounds } = truthOf(match);
  const { player, round } = await writeSample(await newFolder());
  const tallies = rounds.flatMap(({ startTick, officialEndTick }) =>
    match.players.map(
      ({ userId }) =>
        kills.filter(
          ({ attacker, tick }) => attacker === userId && tick >= startTick && tick < (officialEndTick ?? Infinity),
        ).length,
    ),
  );
  const at = (round - 1) * match.players.length + match.players.findIndex(({ steamId }) => steamId === player);
  expect(tallies[at]).toBe(Math.max(...tallies));
  expect((await firstCommands()).join()).toContain(`"steam64_id": "${player}",\n    "round": ${round}\n`);
});

it('is served on the port that the README names, or on a free one', async () => {
  const folder = await newFolder();
  const port = await freePort(0);
  const first = await serveSample(folder, port - 10_000);
  const second = await serveSample(folder, port - 10_000);
  onTestFinished(() => Promise.all([first.stop(), second.stop()]).then(() => {}));
  expect(first.url).toBe(`http://127.0.0.1:${port}/sample.dem`);
  expect(second.url).not.toBe(first.url);
  const [head, body] = await Promise.all([fetch(first.url, { method: 'HEAD' }), fetch(first.url)]);
  expect(Number(head.headers.get('content-length'))).toBe((await body.arrayBuffer()).byteLength);
  for (const none of [await serveSample(folder, 0), await serveSample(folder, 60_000)]) {
    const response = await fetch(none.url);
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    await none.stop();
  }
});
