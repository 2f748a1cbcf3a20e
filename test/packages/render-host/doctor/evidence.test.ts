import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { loadImage } from '@napi-rs/canvas';
import { expect, it } from 'vitest';
import { openPromise } from 'yauzl';
import { composeMatch, writeDemoFile } from '#demo-writer/index.ts';
import { gameProgram } from '#render-host/capture/cs2/game/launch-args.ts';
import { loadHostConfig } from '#render-host/config/host-config.ts';
import { ASSUMPTIONS, type JudgedAssumption, judgeAll, type TrialLine } from '#render-host/doctor/assumptions.ts';
import { runDoctor } from '#render-host/doctor/doctor.ts';
import { createRedactor, type EvidenceInput, recordEvidence } from '#render-host/record-evidence.ts';
import { PROJECT_ROOT } from '#stack/migrate.ts';
import { setUpGame, setUpLinuxGame } from '../capture/cs2/game-setup.ts';
import { createTestTimers } from '../capture/cs2/test-timers.ts';

const run = promisify(execFile);
const NEEDED = { TICKREEL_URL: 'http://127.0.0.1:1', TICKREEL_HOST_TOKEN: 'tr_host_x' };
const SCRIPT = composeMatch({
  rounds: [{ startTick: 10, freezeEndTick: 20 }],
  kills: [
    { tick: 600, attacker: 2, victim: 7, weapon: 'knife' },
    { tick: 900, attacker: 3, victim: 8, weapon: 'knife' },
  ],
  lastTick: 1200,
});

/** Changes what the recording gets, once the doctor has found no fault. */
type Change = (input: EvidenceInput, gameDir: string) => EvidenceInput | Promise<EvidenceInput>;

/** Runs the doctor with a fake game of Steam's user Anna. Returns the files of the zip, and what was printed. */
async function makeEvidence(recorder: 'hlae' | 'plugin', modes: string, change: Change = (input) => input) {
  const { settings, workDir, isGameRunning } = await (recorder === 'hlae' ? setUpGame(modes) : setUpLinuxGame(modes));
  const gameDir = join(workDir, 'Steam/steamapps/common/game');
  const launcher = join(workDir, 'start-anna_1-on-pc-of-tester');
  const ffmpeg = join(workDir, 'ffmpeg');
  const hook = settings.recorder === 'hlae' ? settings.hookPath : settings.pluginPath;
  // Recordings ask for a newer ffmpeg than npm has.
  const version = `case "$*" in *-version) exec printf 'ffmpeg version 7\\nlibavcodec     61. 3.100\\n';; esac`;
  const accounts = '"7656119" { "AccountName"\t\t"anna_1"\n"PersonaName"\t\t"Anna the Great" }';
  const files: readonly (readonly [string, string])[] = [
    [join(workDir, 'Steam/config/loginusers.vdf'), accounts],
    [launcher, `#!/bin/sh\nexec '${process.execPath}' '${settings.launcher.at(-1)}' "$@"\n`],
    [ffmpeg, `#!/bin/sh\n${version}\nexec '${process.env.FFMPEG_PATH}' "$@"\n`],
    [gameProgram(settings), ''],
    [hook, 'MZ'],
    [join(dirname(dirname(hook)), 'changelog.xml'), '<version>2.191.1</version>'],
    [join(settings.gameDir, 'game/csgo/replays/newer.dem'), 'no demo'],
  ];
  for (const [path, text] of files) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { mode: 0o755 });
  }
  await writeDemoFile(SCRIPT, join(settings.gameDir, 'game/csgo/replays/anna.dem'));
  await mkdir(dirname(gameDir), { recursive: true });
  await symlink(settings.gameDir, gameDir);
  const environment = {
    ...NEEDED,
    PATH: process.env.PATH,
    USER: 'tester',
    FFMPEG_PATH: ffmpeg,
    TICKREEL_WORK_DIR: workDir,
    TICKREEL_RENDERER: 'cs2',
    TICKREEL_CS2_DIR: gameDir,
    TICKREEL_CS2_LAUNCHER: launcher,
    TICKREEL_CS2_ARGS: settings.gameArgs.join(' '),
    [recorder === 'hlae' ? 'TICKREEL_CS2_HOOK' : 'TICKREEL_CS2_PLUGIN']: hook,
    TICKREEL_CS2_CONSOLE_PORT: settings.recorder === 'hlae' ? `${settings.consolePort}` : '',
    TICKREEL_CS2_GAME_STATE_PORT: `${settings.gameStatePort}`,
  };
  const said: string[] = [];
  const print = (text: string) => void said.push(text);
  let footage = 0;
  const free = async () => {
    const paths = await readdir(workDir, { recursive: true });
    footage = Math.max(footage, paths.filter((path) => basename(path).startsWith('footage-')).length);
    return 2 ** 40;
  };
  const game = { timers: createTestTimers(), findFaults: async () => [], free };
  const input = { dir: workDir, print, height: 360, game, signal: new AbortController().signal };
  const loaded = loadHostConfig(environment);
  // This machine has no display. Without one the doctor makes no clip on Linux.
  if (recorder === 'plugin' && loaded.ok) await recordEvidence(loaded.config, environment, [], input);
  const makeClip: Parameters<typeof runDoctor>[1]['makeClip'] = async (config, findings) =>
    recordEvidence(config, environment, findings, await change(input, gameDir));
  if (recorder === 'hlae') await runDoctor(environment, { json: false, print, makeClip });
  expect(footage).toBeLessThan(2);
  expect(await readdir(workDir)).not.toContainEqual(expect.stringMatching(/^evidence-/));
  expect(await isGameRunning().catch(() => false)).toBe(false);
  const zip = await openPromise(join(workDir, 'tickreel-evidence.zip'), { autoClose: false });
  const parts = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry())
    parts.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)));
  zip.close();
  return { parts, said: said.join(''), workDir };
}

it.each([
  ['hlae', 'takes-no-password,no-killfeed', ['killfeed', 'password'], ['drifts', 'after-death', 'launcher', 'task']],
  ['plugin', '', [], ['drifts', 'after-death']],
] as const)(
  '%s: one file has a verdict on each assumption, and no names',
  { tags: ['long'], timeout: 300_000 },
  async (...row) => {
    const [recorder, modes, doNot, unseen] = row;
    const { parts, said, workDir } = await makeEvidence(recorder, modes);
    const shots = [1, 2, 3, 4].map((shot) => `demo-1-shot-${shot}`);
    const texts = ['evidence.json', 'console.log', 'plugin.log', 'report.log', 'host.log'];
    expect([...parts.keys()]).toEqual([...shots.flatMap((shot) => [`${shot}.mp4`, `${shot}.jpg`]), ...texts]);
    expect(said).toMatch(/demo-1 is .*anna\.dem\ndemo-1, shot 1 of 4\n/);
    for (const shot of shots) {
      await writeFile(join(workDir, shot), parts.get(`${shot}.mp4`) ?? '');
      const { stderr } = await run(`${process.env.FFMPEG_PATH}`, ['-i', join(workDir, shot), '-f', 'null', '-']);
      expect(stderr).toMatch(/Video: h264.*640x360.*Audio: aac.*frame= *(90|1\d\d|2\d\d) /s);
      expect((await loadImage(parts.get(`${shot}.jpg`) ?? '')).width).toBe(1536);
    }
    const written = texts.map((name) => `${parts.get(name)}`).join('');
    for (const name of ['anna', 'tester', `${hostname()} `, dirname(workDir), '7656119', 'tr_host_'])
      expect(written).not.toContain(name);
    expect(written).toContain(recorder === 'hlae' ? '] playdemo "<hidden>' : 'Executing: startmovie');
    const { assumptions, made_by: made } = JSON.parse(`${parts.get('evidence.json')}`);
    expect(made).toMatchObject({ is_game: false, build: '1.41.6.0', launcher: 'start-<hidden>-on-pc-of-<hidden>' });
    const judged = (verdict: string): string[] =>
      assumptions.flatMap((one: JudgedAssumption) => (one.verdict === verdict ? [one.id] : []));
    expect(judged('does not')).toEqual(doNot);
    expect(judged('not seen')).toEqual(expect.arrayContaining([...unseen]));
    expect(judged('holds')).toEqual(expect.arrayContaining(['reports', 'frames', 'sound', 'in-time', 'end']));
  },
);

it.each<[string, number, RegExp, Change]>([
  ['is gone', 0, /demo-1: .*steam\.inf/, (input, game) => rm(join(game, 'game/csgo/steam.inf')).then(() => input)],
  [
    'cannot be ended',
    4,
    /the end of the game: no end/,
    (input) => {
      const timers = createTestTimers();
      const set: typeof timers.set = (name, ...rest) => {
        if (name === 'quit') throw new Error('no end');
        return timers.set(name, ...rest);
      };
      return { ...input, game: { ...input.game, timers: { ...timers, set } } };
    },
  ],
  [
    'is stopped in its second shot',
    1,
    /demo-1: .*abort/,
    (input) => {
      const stop = new AbortController();
      const print = (text: string) => (text.includes('shot 2 of') ? void setImmediate(() => stop.abort()) : null);
      return { ...input, print, signal: stop.signal };
    },
  ],
])('the file has all there is when the game %s', { tags: ['long'] }, async (_, shots, why, change) => {
  const { parts, said } = await makeEvidence('hlae', '', change);
  expect([...parts.keys()].filter((name) => name.endsWith('.mp4'))).toHaveLength(shots);
  expect(`${parts.get('host.log')}`).toMatch(why);
  expect(JSON.parse(`${parts.get('evidence.json')}`).shots).toHaveLength(shots);
  expect(said).toMatch(shots === 4 ? /send us/ : /FAIL {2}evidence .*(no shot was recorded|was stopped): .*\.zip/);
});

it.each([
  ['C:\\srv\\tick/a.dem, {"at":"/srv\\\\tick\\\\x"}', 'C:<hidden>/a.dem, {"at":"<hidden>\\\\x"}'],
  ['/home/jo/x C:\\Users\\Jo Doe\\x', '/home/<hidden>/x C:\\Users\\<hidden>\\x'],
  ['userdata/123456/730 userdata\\\\123456', 'userdata/<hidden>/730 userdata\\\\<hidden>'],
  ['to 203.0.113.9:27015, 1.41.6.0:27015', 'to <hidden>:27015, <hidden>:27015'],
  ['127.0.0.1:2121, 1.41.6.0, 10.0.22631.4037', '127.0.0.1:2121, 1.41.6.0, 10.0.22631.4037'],
  ['Bob the Great and bob, not Bobby, in a-vs-b.dem', '<hidden> and <hidden>, not Bobby, in <hidden>.dem'],
  [
    `"An"na\\o" ${JSON.stringify(['An"na\\o', '\nBob', '\u001bBob'])}`,
    '"<hidden>" ["<hidden>","\\n<hidden>","\\u001b<hidden>"]',
  ],
  ['76561197960265729 [U:1:5] 76561197960265729', '<steam id 1> [<steam id 2>] <steam id 1>'],
])('hides what is private in %j', (text, hidden) => {
  expect(createRedactor(['/srv/tick'], ['Bob', 'Bob the Great', 'An"na\\o', 'a-vs-b', '///'])(text)).toBe(hidden);
});

const SHOT = { name: 'a', steamId: '7', frames: 120, wantedFrames: 120, soundSeconds: 4, wantedSeconds: 4 };
const GOOD = { ...SHOT, sound: 'take0000/audio.wav', killfeed: 'seen' } as const;

it.each([
  ['commands', 'console', "[Console] Unknown command 'cl_x'!", {}],
  ['hook', 'console', "Unknown command 'mirv_cmd'!", {}],
  ['in-time', 'host', 'the game did not start within 60 s', {}],
  ['quote', 'host', 'the game recorded sound without pictures', {}],
  ['reports', 'report', '7 at 4', { steamId: '8' }],
  ['bots', 'host', 'a, bot: render_failed: shot 1: the camera never was on the player', {}],
  ['old-demos', 'host', 'a, old demo, bot: demo_incompatible: the game closed the demo', {}],
  ['frames', 'host', '', { frames: 118 }],
  ['frames', 'host', 'seven percent too many', { frames: 128 }],
  ['sound', 'host', '', { soundSeconds: 2 }],
  ['wav', 'host', '', { sound: 'audio.wav' }],
  ['end', 'host', '', {}],
] as const)('refutes “%s”, and nothing else, by what shows it', (id, from, text, shot) => {
  const said = [
    ['report', '7 at 4'],
    [from, text],
  ] as const;
  const lines = said.map(([source, line]): TrialLine => ({ from: source, at: 0, text: line }));
  const trial = { lines, shots: [{ ...GOOD, ...shot }], programs: id === 'end' ? 'node\ncs2' : 'node' };
  const refuted = judgeAll(trial, 'hlae').filter(({ verdict }) => verdict === 'does not');
  expect(refuted.map((one) => one.id)).toEqual([id]);
});

it.each<[string, number, ...(readonly [TrialLine['from'], string])[]]>([
  ['commands', 0, ['console', 'Loading map']],
  ['commands', 1],
  ['log', 0, ['plugin', 'Executing: echo']],
  ['bots', 1, ['host', 'a: recorded']],
  ['old-demos', 1, ['host', 'a: recorded'], ['host', 'a, old demo: cs2_unavailable: the game is gone']],
  ['old-demos', 1, ['host', 'a, old demo: demo_incompatible: the recording cannot be searched for messages']],
])('leaves “%s” open with %i shots and %j', (id, count, ...said) => {
  const lines = said.map(([from, text]): TrialLine => ({ from, at: 0, text }));
  const judged = judgeAll({ lines, shots: [GOOD].slice(0, count), programs: null }, id === 'log' ? 'plugin' : 'hlae');
  expect(judged.find((one) => one.id === id)).toMatchObject({ verdict: 'not seen' });
});

it('docs/gpu-host.md lists the assumptions', async () => {
  const rows = ASSUMPTIONS.map(([id, of, text, { by }]) => `| \`${id}\` | ${of} | ${text} | ${by} |\n`);
  expect(await readFile(join(PROJECT_ROOT, 'docs/gpu-host.md'), 'utf8')).toContain(rows.join(''));
});

it.each([
  [['--evidence', '.'], /^--evidence needs --record/],
  [['--demo', 'a.dem'], /^--demo needs --evidence/],
  [['--record', '--evidence', '.'], /TICKREEL_RENDERER=cs2/, 'radar'],
  [['--record', '--evidence', '.', '--demo', import.meta.filename], /^--demo .* must be an unpacked demo/],
  [['--record', '--evidence', join(import.meta.filename, 'x')], /^--evidence .* must be a folder that can be written/],
])('the doctor refuses %j and names the rule', async (args, rule, renderer = 'cs2') => {
  const options = { env: { ...NEEDED, TICKREEL_RENDERER: renderer } };
  const main = join(PROJECT_ROOT, 'packages/render-host/main.ts');
  const failed = expect(run(process.execPath, [main, 'doctor', ...args], options)).rejects;
  await failed.toMatchObject({ code: 2, stderr: expect.stringMatching(rule) });
});
