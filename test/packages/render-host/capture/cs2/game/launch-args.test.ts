import { mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { buildObjection, readGameBuild, refusesDecals } from '#render-host/capture/cs2/game/game-build.ts';
import { startGame } from '#render-host/capture/cs2/game/game-process.ts';
import { gameProgram, launchArgs, writeOwnConfig } from '#render-host/capture/cs2/game/launch-args.ts';
import { setUpGame } from '#test/packages/render-host/capture/cs2/game-setup.ts';

const settings = {
  recorder: 'hlae' as const,
  gameDir: '/games/cs2',
  launcher: ['HLAE.exe'] as const,
  hookPath: '/hlae/AfxHookSource2.dll',
  consolePort: 2121,
  gameStatePort: 3123,
  gameArgs: ['-dx11'],
  footageCodec: '-c:v libx264',
  demoPredict: 2 as const,
  stripDecals: 'auto' as const,
  filmHeight: 1440,
  jobsPerStart: 1,
};

test('the game is started by HLAE with its hook, insecure, in the clip’s size, its console behind a password', () => {
  const args = launchArgs(settings, { width: 2560, height: 1440 }, 'a1b2');
  const program = gameProgram(settings);
  expect(program).toMatch(/^\/games\/cs2\/game\/bin\/win64\/cs2\.exe$/);
  expect(args.slice(0, 5)).toEqual(['-noGui', '-autoStart', '-noConfig', '-afxDisableSteamStorage', '-customLoader']);
  expect(args.slice(5, 10)).toEqual(['-hookDllPath', settings.hookPath, '-programPath', program, '-cmdLine']);
  expect(args.slice(10)).toEqual([
    '-insecure -novid -console -windowed -noborder -width 2560 -height 1440 -netconport 2121 -netconpassword a1b2 ' +
      '-afxFixNetCon -afxDisableSteamStorage -language english +engine_no_focus_sleep 0 +demo_ui_mode 0 ' +
      '+cl_demo_predict 2 -dx11',
  ]);
});

test('the game’s video settings are the newest of this machine with ours over them, read-only, and replaced at the next start', async () => {
  const { settings: game, folder } = await setUpGame();
  const written = async (height: number) => {
    const path = join(
      (await writeOwnConfig(folder, game, { width: 1920, height })).USRLOCALCSGO ?? '',
      'cfg/cs2_video.txt',
    );
    expect((await stat(path)).mode & 0o777).toBe(0o444);
    return Object.fromEntries(
      [...(await readFile(path, 'utf8')).matchAll(/^\t"(.+)"\t\t"(.+)"$/gm)].map((found) => found.slice(1)),
    );
  };
  expect(await written(1080)).toMatchObject({ Version: '16', VendorID: '4318', 'setting.defaultresheight': '1080' });
  for (const [account, vendor, age] of [
    ['1', 4098, 0],
    ['2', 32902, 60],
  ] as const) {
    const path = join(game.gameDir, '../../../userdata', account, '730/local/cfg/cs2_video.txt');
    await mkdir(dirname(path), { recursive: true });
    await writeFile(
      path,
      `"video.cfg"\r\n{\r\n\t"VendorID"\t\t"${vendor}"\r\n\t"setting.new"\t\t"7"\r\n\t"setting.mat_vsync"\t\t"1"\r\n}\r\n`,
    );
    const at = Date.now() / 1000 - age;
    await utimes(path, at, at);
  }
  const merged = { VendorID: '4098', Version: '16', 'setting.new': '7', 'setting.mat_vsync': '0' };
  expect(await written(1440)).toMatchObject({ ...merged, 'setting.defaultresheight': '1440' });
});

test('on Windows a game is known by its name, and ended with a launcher that shows an error', async () => {
  const bin = await mkdtemp(join(tmpdir(), 'windows-'));
  onTestFinished(() => rm(bin, { recursive: true }));
  vi.stubEnv('PATH', `${bin}:${process.env.PATH}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const program = (name: string, line: string) => writeFile(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  await program('taskkill', `echo "$*" > ${join(bin, 'killed')}`);
  const game = startGame([process.execPath, '-e', 'setInterval(() => {}, 1000)'], [], 'C:/cs2.exe', {}, true);
  // No system list is available, so the console decides.
  await program('tasklist', 'exit 1');
  expect([await game.isRunning(), await game.memory()]).toEqual([true, null]);
  await program('tasklist', `echo '"cs2.exe","4711","Console","1","5.123.456 K"'`);
  expect([await game.isRunning(), await game.memory()]).toEqual([true, 5_123_456 * 1024]);
  await program('tasklist', 'echo INFO: No tasks are running which match the specified criteria.');
  expect(await game.isRunning()).toBe(false);
  expect(game.launchFailure()).toBe(null);
  await game.kill();
  expect(await readFile(join(bin, 'killed'), 'utf8')).toBe('/f /t /im cs2.exe\n');
  await vi.waitFor(() => expect(game.launchFailure()).toMatch(/launcher ended with SIGTERM/), { timeout: 30_000 });
});

describe('the build of the game', () => {
  it('is read from its own file, as the game and as demos write it', async () => {
    const { settings } = await setUpGame('', '1.40.9.0');
    expect(await readGameBuild(settings)).toEqual({ version: '1.40.9.0', build: 10_772 });
  });

  it('that is not there, or not named, is an error', async () => {
    const { settings } = await setUpGame();
    await writeFile(join(settings.gameDir, 'game/csgo/steam.inf'), 'appID=730\n');
    await expect(readGameBuild(settings)).rejects.toThrow('does not name its version');
    await expect(readGameBuild({ gameDir: '/nowhere' })).rejects.toThrow('ENOENT');
  });

  it.each([
    [14160, '1.41.6.0', null],
    [14090, '1.41.6.0', null],
    [null, '1.41.6.0', null],
    [14161, '1.41.6.0', 'the demo was recorded by 1.41.6.1, newer than the game 1.41.6.0 of this machine'],
    // By their digits run together, 14200 would be older than 141100.
    [141100, '1.42.0.0', null],
    [14200, '1.41.10.0', expect.stringContaining('recorded by 1.42.0.0, newer than')],
  ])('against a demo of patch %s, with game %s, has the objection %s', (gamePatch, version, objection) => {
    expect(buildObjection({ gamePatch }, { version, build: null })).toEqual(objection);
  });

  it.each([
    [
      'an old demo in a game of July 2026',
      { build: 10_772, gamePatch: 14160 },
      { version: '1.41.7.1', build: 10_850 },
      true,
    ],
    ['a demo of that game', { build: 10_850, gamePatch: 14171 }, { version: '1.41.7.1', build: 10_850 }, false],
    ['an old game', { build: 10_772, gamePatch: 14160 }, { version: '1.41.6.0', build: 10_772 }, false],
    ['no build numbers', { build: null, gamePatch: 14160 }, { version: '1.41.7.1', build: null }, true],
    ['a demo without any', { build: null, gamePatch: null }, { version: '1.41.7.1', build: null }, false],
  ])('says whether the game stops at decals: %s', (_, demo, game, refuses) => {
    expect(refusesDecals(demo, game)).toBe(refuses);
  });
});
