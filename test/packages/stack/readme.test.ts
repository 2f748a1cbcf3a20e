import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Plan } from '#client/index.ts';
import { createSampleMatch, truthOf } from '#demo-writer/index.ts';
import { bareEnvironment } from '#render-host/machine/program.ts';
import { PROJECT_ROOT } from '#stack/migrate.ts';
import { serveSample, writeSample } from '#stack/sample.ts';
import { freePort } from '#stack/service.ts';
import { startDiscord } from '../../support/discord.ts';
import { createChannel } from '../../support/discord-channel.ts';
import { sendAsMatchZy } from '../../support/game-server.ts';
import { PICTURES } from '../../support/pictures.ts';
import { SOUNDS } from '../../support/sounds.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'readme-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns the blocks of code of a section of the README, in a language: "sh" for commands. */
async function blocksUnder(title: string, language = 'sh'): Promise<string[]> {
  const [section = ''] = (await readDocument('README.md')).split(`## ${title}\n`)[1]?.split('\n## ') ?? [];
  return blocksIn(section, language);
}
const readDocument = (path: string) => readFile(join(PROJECT_ROOT, path), 'utf8');
const blocksIn = (text: string, language: string) =>
  [...text.matchAll(/```(\w*)\n([\s\S]*?)```/g)].flatMap(([, of, block = '']) => (of === language ? block : []));
const firstCommands = () => blocksUnder('Through the API');

/** Starts the stack in a checkout with its own `.data` by the README's command, on another port. */
async function startAsTold() {
  const folder = await newFolder();
  for (const name of ['core', 'migrations', 'node_modules', 'package.json', 'packages', 'src', 'wrangler.toml']) {
    await symlink(join(PROJECT_ROOT, name), join(folder, name));
  }
  const [start = ''] = await firstCommands();
  const port = await freePort(0);
  const options = { cwd: folder, env: { ...bareEnvironment(), PATH: process.env.PATH, HOME: folder } };
  const command = `exec ${start.replace('8787', String(port))}`;
  const stack = spawn('sh', ['-c', command], { ...options, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  onTestFinished(() => ended(stack));
  const [line] = await new Promise<string[]>((resolve) =>
    createInterface(stack.stdout).once('line', (...args) => resolve(args)),
  );
  const { base_url, sample_demo_url } = JSON.parse(line ?? '');
  const placed = (text: string) =>
    text.replace('http://127.0.0.1:18787/sample.dem', sample_demo_url).replaceAll('http://127.0.0.1:8787', base_url);
  /** Runs commands in a shell, with `input` as what somebody types. Returns what they print. */
  const run = (script: string, input = '') =>
    new Promise<string>((resolve, reject) => {
      const shell = execFile('sh', ['-e', '-c', placed(script)], options, (error, out) =>
        error ? reject(error) : resolve(out),
      );
      shell.stdin?.end(input);
    });
  return { folder, placed, run };
}

it('the commands of the README and of the guide to clips, as they are, make clips of the sample demo', async () => {
  const { folder, run } = await startAsTold();
  const [, submit = '', follow = ''] = await firstCommands();
  expect(submit).toContain('"http://127.0.0.1:18787/sample.dem"');
  // A small video.
  const small = submit.replace('"round"', '"fps": 5, "pre_kill_padding": 0.5, "post_kill_padding": 0.5, "round"');
  const out = await run(`${small}\n${follow}`);
  expect(out).toMatch(/"status":\s*"done"/);
  const [page = ''] = /http:\/\/[^"]+\/clips\/[\w-]+(?=")/.exec(out) ?? [];
  expect(await (await fetch(page)).text()).toContain('Drawn from the recording, seen from above');

  const [list = '', make = ''] = blocksIn(await readDocument('docs/clips.md'), 'sh');
  const exported = submit.split('curl')[0];
  const plan = JSON.parse(await run(`${exported}${list}`));
  expect(plan.cards).toEqual([{ kind: 'title', seconds: 3 }]);
  expect(plan.shots.map(({ kill_ticks, speed }: Plan['shots'][number]) => [kill_ticks.length, speed])).toEqual(
    [1, 1, 3, 1, 1, 1].map((kills) => [kills, 0.5]),
  );
  await writeFile(join(folder, 'intro.png'), PICTURES.png);
  await writeFile(join(folder, 'song.mp3'), SOUNDS.mp3);
  const shorter = '--fps 5 --pre-kill-padding 0.5 --post-kill-padding 0.5 --card-seconds 1';
  const made = await run(`${exported}${make.replace('--intro', `${shorter} --intro`)}`);
  expect(made).toMatch(/"status":\s*"done"/);
});

/** A demo to send in place of the sample: `npx node test/soak/cli.ts readme` sends one of 400 MB. */
const { README_DEMO } = process.env;
const timeout = README_DEMO ? 1_800_000 : 350_000;

/** The diary of a newcomer: each step with the seconds that it took. */
it('the commands of the README, as they are, end with a post in the channel', { timeout }, async () => {
  const diary: string[] = [];
  let begun = performance.now();
  const note = (step: string) => {
    diary.push(`${((performance.now() - begun) / 1000).toFixed(1).padStart(6)} s  ${step}`);
    begun = performance.now();
  };
  const discord = await startDiscord();
  onTestFinished(() => discord.stop());
  const channel = await createChannel(discord.origin);
  begun = performance.now();
  const { folder, placed, run } = await startAsTold();
  note('npm run stack');
  const [, variables = ''] = await firstCommands();
  const title = 'From a game server to Discord';
  const [keys = '', rule = '', send = ''] = await blocksUnder(title);
  const exported = variables.split('curl')[0];
  await run(`${exported}${keys}`);
  note('a key for the game server, and one for the rule');
  // A small video.
  const made = await run(`${exported}${rule.replace('--best 3', '--best 3 --fps 5')}`, `${channel.url}\n`);
  note('the rule');
  expect(JSON.parse(made)).toMatchObject({ enabled: true, when: { sources: ['ingest'] }, render: { limit: 3 } });
  expect(made).not.toContain(channel.token);
  const [sample = '', listed = ''] = send.split(/\n(?=npm)/);
  const sent = README_DEMO ? sample.replace(/^curl.*?\|/, `cat ${README_DEMO} |`) : sample;
  expect(JSON.parse(await run(`${exported}${sent}`))).toMatchObject({ state: 'complete', source: 'ingest' });
  note('the demo');
  await vi.waitFor(async () => expect(await channel.posts()).toHaveLength(1), { timeout, interval: 100 });
  note('the post');
  const [post] = await channel.posts();
  expect(post?.message.embeds).toHaveLength(3);
  expect(post?.files).toHaveLength(3);
  const useRule = `export TICKREEL_API_KEY=$(node -p 'require("./.data/rules.json").key')\n`;
  const rendered = { rules: [{ used: { clips_a_day: 3, demos_a_day: 1 }, last_run: { state: 'done' } }] };
  const list = async () => JSON.parse(await run(`${exported}${useRule}${listed}`));
  expect(await list()).toMatchObject(rendered);
  process.stdout.write(`${diary.join('\n')}\n`);

  // MatchZy sends the same demo, with the README's lines of its configuration: it is known.
  const [lines = ''] = await blocksUnder(title, '');
  const { key } = JSON.parse(await readFile(join(folder, '.data/server.json'), 'utf8'));
  const setting = (name: string) => new RegExp(`^matchzy_demo_upload_${name} "(.*)"$`, 'm').exec(lines)?.[1] ?? '';
  const header = [setting('header_key'), setting('header_value').replace('tr_met_…', key)] as const;
  const file = README_DEMO ?? join(folder, '.data/sample.dem');
  const again = await sendAsMatchZy({ url: placed(setting('url')), file, header, matchId: 7 });
  expect(again).toMatchObject({ status: 200, isSuccess: true });
  // A run begins with the completion of its demo, so a second one would be there now.
  expect(await list()).toMatchObject(rendered);
  expect(await channel.posts()).toHaveLength(1);
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
