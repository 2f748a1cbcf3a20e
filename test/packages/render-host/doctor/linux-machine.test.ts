import { execFile } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { LINUX } from '#render-host/capture/cs2/game/machine-faults.ts';
import { checkGame } from '#render-host/doctor/check-game.ts';
import { setUpLinuxGame, signIn } from '../capture/cs2/game-setup.ts';

/** Returns a machine with all that the game needs, by its programs and sockets. */
async function machine() {
  const { settings, workDir } = await setUpLinuxGame();
  await signIn(join(settings.gameDir, '../../..'), '76561197960265730');
  const [bin, sockets, home] = [join(workDir, 'bin'), join(workDir, 'x'), join(workDir, 'home')];
  for (const folder of [bin, sockets, join(home, '.steam')]) await mkdir(folder, { recursive: true });
  const program = async (name: string, said: string): Promise<void> => {
    await writeFile(join(bin, name), `#!/bin/sh\ncat <<'END'\n${said}\nEND\n`);
    await chmod(join(bin, name), 0o755);
  };
  await program('vulkaninfo', 'GPU0:\n\tdeviceType         = PHYSICAL_DEVICE_TYPE_DISCRETE_GPU');
  await program('pactl', 'Server Name: pulseaudio\nDefault Sink: cs2');
  const server = createServer().listen(join(sockets, 'X7'));
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  await promisify(execFile)('mkfifo', [join(home, '.steam/steam.pipe')]);
  await writeFile(join(home, '.steam/steam.pid'), `${process.pid}\n`);
  const environment = { PATH: `${bin}:${process.env.PATH}`, HOME: home, DISPLAY: ':7' };
  const look = () => checkGame(settings, { environment, sockets });
  return { settings, bin, home, environment, program, look };
}

it('the doctor has nothing to say against a Linux machine that has all that the game needs', async () => {
  const found = await (await machine()).look();
  expect(found.filter(({ status }) => status !== 'ok')).toEqual([]);
  expect(found.map(({ check }) => check)).toEqual(['game', 'Steam account', ...Object.keys(LINUX)]);
  expect(found.find(({ check }) => check === 'plugin')?.detail).toMatch(/only a recording shows whether it fits/);
});

it('names each piece that a Linux machine lacks, with its mend', async () => {
  const { settings, home, environment, program, look } = await machine();
  const failing = async () => {
    const found = (await look()).filter(({ status }) => status === 'fail');
    for (const { remedy } of found) expect(remedy).toMatch(/\w+ \w+/);
    return found.map(({ check, detail }) => `${check}: ${detail}`);
  };
  await program('vulkaninfo', '\tdeviceType         = PHYSICAL_DEVICE_TYPE_CPU');
  expect(await failing()).toEqual(['GPU: Vulkan has only a device of software']);
  await program('pactl', 'Server Name: pulseaudio');
  environment.DISPLAY = ':8';
  await writeFile(join(home, '.steam/steam.pid'), '0');
  await rm(settings.pluginPath);
  await rm(join(settings.gameDir, 'game/cs2.sh'));
  expect((await failing()).map((line) => line.split(':')[0])).toEqual([
    ...['game script', 'plugin', 'display', 'GPU', 'sound server', 'Steam'],
  ]);
});

it('names the windows that wait for somebody, and no others', async () => {
  const { program, look } = await machine();
  const tree = [
    'xwininfo: Window id: 0x1e4 (the root window) (has no name)',
    '     0x1400003 "Steam Dialog": ("steam" "steam")  480x300+0+0  +10+10',
    '     0x1400009 "Steam": ("steam" "steam")  1280x800+0+0  +0+0',
    '        0x1400010 "Ann says: Engine Error": ("steam" "steam")  10x10+0+0  +0+0',
    '     0x1400011 "Error": ("steam" "steam")  480x300+0+0  +10+10',
    '     0x1400012 "Error": ()  480x300+0+0  +10+10',
    '     0x1400013 "Error": ("cs2" "cs2")  480x300+0+0  +10+10',
  ];
  await program('xwininfo', tree.join('\n'));
  expect((await look()).filter(({ status }) => status !== 'ok')).toMatchObject([
    { check: 'window', detail: '“Steam Dialog” waits: Steam asks something, of the cloud mostly' },
    { check: 'window', detail: '“Error” waits: the game gave up' },
    { check: 'window', detail: '“Error” waits: the game gave up' },
  ]);
});
