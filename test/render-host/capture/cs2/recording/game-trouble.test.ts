import { describe, expect, it } from 'vitest';
import { createCs2Capture } from '../../../../../render-host/capture/cs2/cs2-capture.ts';
import { buildOptions } from '../../../builders.ts';
import { demo, expectFailure, ffmpeg, film, SHOTS } from '../film.ts';
import { setUpGame } from '../game-setup.ts';
import { createTestTimers } from '../test-timers.ts';

describe('a game in trouble is cs2_unavailable', () => {
  it('when its launcher fails', async () => {
    const { setup, result } = await film({ modes: 'broken-launcher' });
    await expectFailure(setup, result, 'cs2_unavailable', /launcher ended with code 3/);
  });

  it('when its launcher is not there', async () => {
    const setup = await setUpGame();
    const settings = { ...setup.settings, launcher: ['/nowhere/HLAE.exe'] as const };
    const log = { info: () => {}, warn: () => {} };
    const { folder, workDir } = setup;
    const { capture } = createCs2Capture({ settings, folder, ffmpeg, log, timers: createTestTimers() });
    const result = await capture({
      ...{ match: demo.match, shots: SHOTS, options: buildOptions(), demoPath: demo.path, workDir },
      ...{ signal: new AbortController().signal, onProgress: () => {} },
    });
    expect(result).toMatchObject({ ok: false, code: 'cs2_unavailable', detail: /did not start/ });
  });

  it('when HLAE is too old to hold the camera', async () => {
    const setup = await setUpGame();
    const settings = { ...setup.settings, hookPath: '/elsewhere/x64/AfxHookSource2.dll' };
    const log = { info: () => {}, warn: () => {} };
    const { folder, workDir } = setup;
    const { capture } = createCs2Capture({ settings, folder, ffmpeg, log, timers: createTestTimers() });
    const result = await capture({
      ...{ match: demo.match, shots: SHOTS, options: buildOptions(), demoPath: demo.path, workDir },
      ...{ signal: new AbortController().signal, onProgress: () => {} },
    });
    expect(result).toMatchObject({ ok: false, code: 'cs2_unavailable', detail: /HLAE lacks .*spec_lock\.js/ });
  });

  it.each([['deaf'], ['mute']])('when its console is %s for two minutes', async (modes) => {
    const { setup, timers, result } = await film({ modes });
    await setup.started();
    expect(await timers.expire('console')).toBe(120_000);
    await expectFailure(setup, result, 'cs2_unavailable', /console did not answer within 120 s/);
  });

  it('when it runs without the hook', async () => {
    const { setup, result } = await film({ modes: 'no-hook' });
    await expectFailure(setup, result, 'cs2_unavailable', /without HLAE/);
  });

  it('when the demo does not play though it was asked for twice', async () => {
    const { setup, timers, result } = await film({ modes: 'never-plays' });
    await timers.expire('playback');
    await timers.expire('playback');
    await expectFailure(setup, result, 'cs2_unavailable', /asked twice/);
    expect((await setup.commands()).filter((line) => line.startsWith('playdemo'))).toHaveLength(2);
  });

  it('when a seek does not end', async () => {
    const { setup, timers, result } = await film({ modes: 'lost-seek' });
    expect(await timers.expire('seek')).toBe(180_000);
    await expectFailure(setup, result, 'cs2_unavailable', /end of a seek/);
  });

  it('when playback stands still', async () => {
    const recording = Promise.withResolvers<void>();
    const onProgress = (fraction: number): void => {
      if (fraction > 0.1) recording.resolve();
    };
    const { setup, timers, result } = await film({ modes: 'stands-still', onProgress });
    await recording.promise;
    expect(await timers.expire('tick')).toBe(60_000);
    expect(await timers.expire('quit')).toBe(10_000);
    await expectFailure(setup, result, 'cs2_unavailable', /stands still/);
  });

  it('when it crashes', async () => {
    const { setup, result } = await film({ modes: 'crash' });
    await expectFailure(setup, result, 'cs2_unavailable', /ended while recording and left cs2_2026_0401\.mdmp/);
  });

  it('when it does not end: then it is killed', async () => {
    const { setup, timers, result } = await film({ modes: 'never-plays,stubborn' });
    await timers.expire('playback');
    await timers.expire('playback');
    expect(await timers.expire('quit')).toBe(10_000);
    await expectFailure(setup, result, 'cs2_unavailable', /asked twice/);
  });

  it('when another one still runs, which is then told to quit', async () => {
    const first = await film({ modes: 'never-plays' });
    await first.timers.expire('playback');
    const other = await setUpGame();
    const settings = { ...first.setup.settings, gameStatePort: other.settings.gameStatePort };
    const log = { info: () => {}, warn: () => {} };
    const { folder, workDir } = other;
    const { capture } = createCs2Capture({ settings, folder, ffmpeg, log, timers: createTestTimers() });
    const second = await capture({
      ...{ match: demo.match, shots: SHOTS, options: buildOptions(), demoPath: demo.path, workDir },
      ...{ signal: new AbortController().signal, onProgress: () => {} },
    });
    expect(second).toMatchObject({ ok: false, code: 'cs2_unavailable', detail: /still running/ });
    expect(await first.result).toMatchObject({ ok: false, code: 'cs2_unavailable', detail: /ended while recording/ });
  });
});

describe('an aborted recording', () => {
  it.each([0, 0.1, 0.3])('ends the game and leaves nothing in its folder: after %s of it', async (from) => {
    const controller = new AbortController();
    const reason = new Error('the lease is lost');
    const onProgress = (fraction: number): void => {
      if (fraction >= from) controller.abort(reason);
    };
    const { setup, result } = await film({ signal: controller.signal, onProgress });
    if (from === 0) controller.abort(reason);
    await expect(result).rejects.toBe(reason);
    expect(await setup.leftovers()).toEqual([]);
    if (from > 0) expect(await setup.isGameRunning()).toBe(false);
  });
});
