import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildObjection, readGameBuild } from '#render-host/capture/cs2/game/game-build.ts';
import { setUpGame } from '../game-setup.ts';

describe('the build of the game', () => {
  it('is read from its own file, as the game and as demos write it', async () => {
    const { settings } = await setUpGame('', '1.40.9.0');
    expect(await readGameBuild(settings)).toEqual({ version: '1.40.9.0', patch: 14090 });
  });

  it('that is not there, or not named, is an error', async () => {
    const { settings } = await setUpGame();
    await writeFile(join(settings.gameDir, 'game/csgo/steam.inf'), 'appID=730\n');
    await expect(readGameBuild(settings)).rejects.toThrow('does not name its version');
    await expect(readGameBuild({ gameDir: '/nowhere' })).rejects.toThrow('ENOENT');
  });

  it.each([
    [14160, null],
    [14090, null],
    [null, null],
    [14161, expect.stringMatching(/recorded by patch 14161, newer than the game 1\.41\.6\.0/)],
  ])('against a demo of patch %s has the objection %s', (gamePatch, objection) => {
    expect(buildObjection({ gamePatch }, { version: '1.41.6.0', patch: 14160 })).toEqual(objection);
  });
});
