import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startGame } from '#render-host/capture/cs2/game/game-process.ts';
import { gameProgram, launchArgs } from '#render-host/capture/cs2/game/launch-args.ts';

const settings = {
  recorder: 'hlae' as const,
  ...{ gameDir: '/games/cs2', launcher: ['HLAE.exe'] as const, hookPath: '/hlae/AfxHookSource2.dll' },
  ...{ consolePort: 2121, gameStatePort: 3123, gameArgs: ['-dx11'], footageCodec: '-c:v libx264' },
  ...{ demoPredict: 2 as const, stripDecals: 'auto' as const, jobsPerStart: 1 },
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
