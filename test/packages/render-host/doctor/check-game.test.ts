import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { gameProgram, type HlaeSettings, specLockScript } from '#render-host/capture/cs2/game/launch-args.ts';
import { steamFolders } from '#render-host/capture/cs2/game/steam-folder.ts';
import { checkGame } from '#render-host/doctor/check-game.ts';
import { setUpGame, signIn } from '../capture/cs2/game-setup.ts';

/** Returns a machine with all that the game needs. */
async function machine() {
  const { settings } = await setUpGame();
  const ffmpeg = join(dirname(dirname(settings.hookPath)), 'ffmpeg/ffmpeg.ini');
  for (const path of [settings.hookPath, gameProgram(settings), ffmpeg]) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, '');
  }
  await writeFile(join(dirname(ffmpeg), '../changelog.xml'), '<release><version>2.191.1</version></release>');
  await signIn(join(settings.gameDir, '../../..'), '76561197960265730');
  return settings;
}

async function failing(settings: HlaeSettings, addresses: readonly string[] = []) {
  const found = await checkGame(settings, { addresses });
  return found.filter(({ status }) => status === 'fail');
}

it('the doctor has nothing to say against a machine that has game and hook', async () => {
  expect(await failing(await machine())).toEqual([]);
  expect((await checkGame(await machine())).map(({ check }) => check)).toEqual([
    ...[
      'game',
      'Steam account',
      'game program',
      'launcher',
      'hook',
      'HLAE',
      'camera script',
      'HLAE’s ffmpeg',
      'console port',
    ],
  ]);
});

it('warns if no file names the account whose player the game does not show, and looks where Flatpak has it', async () => {
  const settings = await machine();
  const home = settings.gameDir;
  await rm(join(home, '../../../config'), { recursive: true });
  vi.stubEnv('HOME', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const found = async () => (await checkGame(settings, { addresses: [] })).filter(({ status }) => status !== 'ok');
  expect(await found()).toMatchObject([{ check: 'Steam account', status: 'warn' }]);
  await signIn(join(home, '.var/app/com.valvesoftware.Steam/.local/share/Steam'), '76561197960265730');
  expect(await found()).toEqual([]);
});

it.each([
  [
    'case "$*" in "query HKCU\\Software\\Valve\\Steam /v SteamPath") echo "  SteamPath    REG_SZ    d:/my steam"; esac',
    'd:/my steam',
  ],
  ['exit 1', 'C:\\Program Files (x86)/Steam'],
])('finds Steam on Windows by a `reg` that does %s', async (line, folder) => {
  const { gameDir } = await machine();
  await writeFile(join(gameDir, 'reg'), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', gameDir);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect((await steamFolders({ gameDir }, 'win32'))[0]).toBe(folder);
});

it('names each piece that is missing, with its mend', async () => {
  const settings = await machine();
  const missing: [string, string][] = [
    ['game', join(settings.gameDir, 'game/csgo/steam.inf')],
    ['game program', gameProgram(settings)],
    ['hook', settings.hookPath],
    ['camera script', specLockScript(settings)],
  ];
  for (const [index, [, path]] of missing.entries()) {
    await rm(path);
    const found = await failing({ ...settings, launcher: ['/nowhere/HLAE.exe'] });
    const names = [...missing.slice(0, index + 1).map(([check]) => check), 'launcher'];
    expect(found.map(({ check }) => check).toSorted()).toEqual(names.toSorted());
    for (const { remedy } of found) expect(remedy).toMatch(/\w+ \w+/);
  }
});

it('warns of an HLAE without an encoder, which would record sound alone', async () => {
  const settings = await machine();
  await rm(join(dirname(dirname(settings.hookPath)), 'ffmpeg'), { recursive: true });
  const found = await checkGame(settings, { addresses: [] });
  expect(found.filter(({ status }) => status !== 'ok')).toMatchObject([{ check: 'HLAE’s ffmpeg', status: 'warn' }]);
});

it.each([
  ['2.190.2', 'fail'],
  ['2.191.0', 'ok'],
  ['2.200.0', 'ok'],
  [null, 'warn'],
])('judges the version of HLAE: %s is %s', async (version, status) => {
  const settings = await machine();
  const path = join(dirname(dirname(settings.hookPath)), 'changelog.xml');
  const release = (number: string) => `<release><name>HLAE</name><version>${number}</version></release>`;
  await (version === null
    ? rm(path)
    : writeFile(path, `<changelog>${release(version)}${release('1.0.0')}</changelog>`));
  const found = await checkGame(settings, { addresses: [] });
  expect(found.find(({ check }) => check === 'HLAE')).toMatchObject({ status });
});

it('finds a console that others can reach', async () => {
  const settings = await machine();
  const server = createServer().listen(settings.consolePort, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const found = await failing(settings, ['127.0.0.1', '127.0.0.2']);
  expect(found).toMatchObject([{ check: 'console port', detail: expect.stringMatching(/open at 127\.0\.0\.1$/) }]);
});

it('names what a Windows machine lacks around the game', async () => {
  const settings = await machine();
  const bin = join(settings.gameDir, 'programs');
  await mkdir(bin);
  const program = async (name: string, line: string) => {
    await writeFile(join(bin, name), `#!/bin/sh\n${line}\n`);
    await chmod(join(bin, name), 0o755);
  };
  /** A fake PowerShell, which lists the graphics cards and the firewall rules for the game's port. */
  const powershell = (cards: string, rules: number) => {
    const isOfPort = `*Get-NetFirewallRule*"'${settings.consolePort}'"*`;
    return program('powershell', `case "$*" in ${isOfPort}) echo ${rules} ;; *) echo '${cards}' ;; esac`);
  };
  const look = async (SESSIONNAME: string) => {
    const environment = { PATH: bin, SESSIONNAME };
    const found = await checkGame(settings, { addresses: [], environment, isWindows: true });
    return found.filter(({ status }) => status !== 'ok').map(({ check, status }) => `${check}: ${status}`);
  };
  await powershell('Microsoft Basic Display Adapter', 0);
  await program('tasklist', 'echo INFO: No tasks are running which match the specified criteria.');
  expect(await look('')).toEqual(['console port: warn', 'desktop session: fail', 'GPU: fail', 'Steam: fail']);
  await powershell('NVIDIA GeForce RTX 4070', 0);
  await program('tasklist', 'echo steam.exe                     4711 Console                    1    123.456 K');
  expect(await look('RDP-Tcp#3')).toEqual(['console port: warn', 'desktop session: warn']);
  await powershell('NVIDIA GeForce RTX 4070', 1);
  expect(await look('Console')).toEqual([]);
  const windowOf = (image: string, title: string) =>
    program(
      'tasklist',
      `echo '"steam.exe"'; echo '"${image}","47","Console","1","5 K","Running","me","0:00","${title}"'`,
    );
  for (const [image, title, found] of [
    ['steam.exe', 'Error', []],
    ['cs2.exe', 'Error', ['window: fail']],
    ['WerFault.exe', 'cs2.exe - Application Error', ['window: fail']],
  ] as const) {
    await windowOf(image, title);
    expect(await look('Console'), image).toEqual(found);
  }
});
