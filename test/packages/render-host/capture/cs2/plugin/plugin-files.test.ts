import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readTga } from '#render-host/capture/cs2/plugin/film-encoder.ts';
import {
  installPlugin,
  pluginFolders,
  readPluginLine,
  tailFile,
  uninstallPlugin,
} from '#render-host/capture/cs2/plugin/install-plugin.ts';
import { setUpLinuxGame } from '../game-setup.ts';
import { paintPicture, tgaOf } from '../pictures.ts';

describe('the plugin’s log', () => {
  it.each([
    ['[1000] Executing: startmovie film', 'ran', 1000, 'startmovie film'],
    ['[1000] Executing: endmovie\r', 'ran', 1000, 'endmovie'],
    ['[996] Pausing demo playback', 'paused', 996],
    ['2 sequences loaded', 'loaded', null],
    ['JSON sequences file not found at /a.dem.json', 'no-actions', null],
    ['Hooked FrameStageNotify', 'hooked', null],
    ['[-1] Initialized', 'too-old', -1],
    ['JSON sequences file loaded: /demo.dem.json', 'too-old', null],
  ])('says what was done: %s', (line, kind, tick, command = '') => {
    expect(readPluginLine(line)).toEqual({ kind, tick, command });
  });

  it.each([
    'Connecting to WebSocket server on port 4574...',
    'Retrying in 2s...',
    'Sequence with 2 actions loaded',
    '[96] Executed: sv_cheats 1',
    'Executing queued command: demo_ui_mode 0',
    '                "cmd": "startmovie film",',
    'Hooking FrameStageNotify',
    '[-1] Demo playback started, sequences 2',
  ])('says nothing of the recording: %s', (line) => {
    expect(readPluginLine(line)).toBeNull();
  });

  it('is read in whole lines as it grows, and from its start when it is replaced', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tail-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'csdm.log');
    const read = tailFile(path);
    expect(await read()).toEqual([]);
    await writeFile(path, 'one\r\ntw');
    expect(await read()).toEqual(['one']);
    await appendFile(path, 'o ☃\nthr');
    expect(await read()).toEqual(['two ☃']);
    await writeFile(path, 'a\n');
    expect(await read()).toEqual(['a']);
  });
});

describe('the plugin in the game', () => {
  it('is found before the game’s own libraries, once, and taken out again where it never ran', async () => {
    const { settings } = await setUpLinuxGame();
    const csgo = join(settings.gameDir, 'game/csgo');
    const info = join(csgo, 'gameinfo.gi');
    const before = await readFile(info, 'utf8');
    await installPlugin(settings);
    const paths = (await readFile(info, 'utf8')).split('\r\n').filter((line) => /^\s*Game\s/.test(line));
    expect(paths.map((line) => line.trim().split(/\s+/)[1])).toEqual(['csgo/csdm', 'csgo', 'csgo_core']);
    await installPlugin(settings);
    expect((await readFile(info, 'utf8')).split('csdm')).toHaveLength(2);
    const { films, sounds, library } = pluginFolders(settings);
    for (const folder of [films, join(sounds, 'tickreel1x')]) await mkdir(folder, { recursive: true });
    await writeFile(join(films, 'film00000000.tga'), '');
    await writeFile(join(sounds, 'tickreel1x/tickreel1x.wav'), '');
    await writeFile(join(sounds, 'of-somebody.wav'), '');
    expect(await readFile(library, 'utf8')).toBe('ELF');
    await uninstallPlugin(settings);
    expect(await readFile(info, 'utf8')).toBe(before);
    expect((await readdir(csgo, { recursive: true })).filter((path) => /\.(so|tga|backup)$/.test(path))).toEqual([]);
    expect(await readdir(sounds)).toEqual(['of-somebody.wav']);
  });

  it('is not put into a game whose search paths are not as they were', async () => {
    const { settings } = await setUpLinuxGame();
    await writeFile(join(settings.gameDir, 'game/csgo/gameinfo.gi'), 'Game\tcsgo_core\n');
    await expect(installPlugin(settings)).rejects.toThrow('no line “Game csgo”');
  });
});

describe('a picture of the game', () => {
  it.each([true, false])('is read in either order of rows (bottom up: %s)', (isBottomUp) => {
    const file = tgaOf(paintPicture(8, 4, 3, 5), 8, 4, isBottomUp);
    const picture = readTga(file);
    expect(picture).toMatchObject({ width: 8, height: 4, isBottomUp, format: isBottomUp ? 'bgr24' : 'bgra' });
    expect(picture?.pixels).toHaveLength(8 * 4 * (isBottomUp ? 3 : 4));
  });

  it('that is cut off, packed, of a palette or empty is refused', () => {
    const file = Buffer.from(tgaOf(paintPicture(8, 4, 3, 5), 8, 4, true));
    const changed = (at: number, byte: number) => {
      const copy = Buffer.from(file);
      copy[at] = byte;
      return copy;
    };
    for (const broken of [
      file.subarray(0, -1),
      file.subarray(0, 10),
      changed(2, 10),
      changed(1, 1),
      changed(16, 16),
      changed(12, 0),
    ])
      expect(readTga(broken)).toBe(null);
  });
});
