import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildObjection, readGameBuild, refusesDecals } from '#render-host/capture/cs2/game/game-build.ts';
import { setUpGame } from '../game-setup.ts';

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
