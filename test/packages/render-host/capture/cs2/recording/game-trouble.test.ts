import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HlaeSettings } from '#render-host/capture/cs2/game/launch-args.ts';
import { expectTicks } from '#test/packages/render-host/capture/cs2/pictures.ts';
import { demo, expectFailure, film, messages, ONE, OPTIONS } from '../film.ts';

describe('a game that fails is cs2_unavailable', () => {
  it('when its launcher fails', async () => {
    const { setup, result } = await film({ modes: 'broken-launcher' });
    await expectFailure(setup, result, 'cs2_unavailable', /launcher ended with code 3/);
  });

  it.each([
    ['its launcher is not there', { launcher: ['/nowhere/HLAE.exe'] }, /did not start/],
    ['HLAE is too old to hold the camera', { hookPath: '/x/x64/AfxHookSource2.dll' }, /HLAE lacks .*spec_lock\.js/],
  ] as const)('when %s', async (_why, settings, detail) => {
    const { result } = await film({ settings });
    expect(await result).toMatchObject({ ok: false, code: 'cs2_unavailable', detail });
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

  it('when playback does not advance', async () => {
    const recording = Promise.withResolvers<void>();
    const onProgress = (fraction: number): void => {
      if (fraction > 0.1) recording.resolve();
    };
    const { setup, timers, result } = await film({ modes: 'stands-still', onProgress });
    await recording.promise;
    expect(await timers.expire('tick')).toBe(60_000);
    expect(await timers.expire('quit')).toBe(10_000);
    await expectFailure(setup, result, 'cs2_unavailable', /does not advance/);
  });

  it('when it crashes', async () => {
    const { setup, result } = await film({ modes: 'crash' });
    await expectFailure(setup, result, 'cs2_unavailable', /ended while recording and left cs2_2026_0401\.mdmp/);
  });

  it('when it crashes while it loads a demo with a chicken in its first tick, of which it does not warn before', async () => {
    const match = { ...demo.match, startsWithChicken: true } as const;
    const { setup, result, warnings } = await film({ modes: 'crashes-on=1600', match });
    await expectFailure(setup, result, 'cs2_unavailable', /while it loaded the demo: .*; the demo has a chicken/);
    expect(warnings).toEqual([]);
  });

  it('when it does not end: then it is killed', async () => {
    const { setup, timers, result } = await film({ modes: 'never-plays,stubborn' });
    await timers.expire('playback');
    await timers.expire('playback');
    expect(await timers.expire('quit')).toBe(10_000);
    await expectFailure(setup, result, 'cs2_unavailable', /asked twice/);
  });

  it('when it hangs with a dialog, which is named', async () => {
    const { setup, timers, result } = await film({ modes: 'asks' });
    await setup.tellWindows();
    await setup.stuck();
    await timers.expire('playback');
    await timers.expire('playback');
    await timers.expire('quit');
    await expectFailure(
      setup,
      result,
      'cs2_unavailable',
      /the game crashed while it loaded the demo: .*asked twice; a window “Engine Error” waits: the game gave up/,
    );
  });

  describe('when another one still runs', () => {
    /** A game that a host left running, and the next host. */
    const leave = async (change: { readonly folder?: string } = {}) => {
      const first = await film({ modes: 'never-plays' });
      await first.timers.expire('playback');
      const { consolePort } = first.setup.settings as HlaeSettings;
      const second = await film({ folder: first.setup.folder, ...change, settings: { consolePort } });
      return { first, second };
    };

    it('which then quits, because the next host has its password', async () => {
      const { first, second } = await leave();
      expect(await second.result).toMatchObject({ code: 'cs2_unavailable', detail: /still running .*told to quit/ });
      expect(await first.result).toMatchObject({ code: 'cs2_unavailable', detail: /ended while recording/ });
    });

    it('of which nobody knows the password', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'tickreel-other-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      const { first, second } = await leave({ folder });
      expect(await second.timers.expire('quit')).toBe(10_000);
      expect(await second.result).toMatchObject({ code: 'cs2_unavailable', detail: /end it by hand/ });
      expect(await first.setup.isGameRunning()).toBe(true);
      await first.close();
      await expect(first.result).rejects.toThrow('the session is closed');
    });
  });

  it('nobody but the host can command it; where it takes no password, the log says so', async () => {
    const { setup, result, warnings } = await film({ ...ONE, modes: 'takes-no-password' });
    await expectTicks(await result, demo.match, ONE.shots, OPTIONS);
    expect(messages(warnings)).toEqual([expect.stringMatching(/asks for no password: .*close the port/)]);
    expect((await setup.commands()).filter((line) => line.startsWith('PASS'))).toEqual([]);
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
