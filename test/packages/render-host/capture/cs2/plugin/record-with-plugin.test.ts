import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { type AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { COMMANDS } from '#render-host/capture/cs2/game/commands.ts';
import { expectTicks } from '#test/packages/render-host/capture/cs2/pictures.ts';
import { buildShot } from '../../../builders.ts';
import { demo, expectFailure, faults, film, GIB, messages, ONE, OPTIONS, SHOTS } from '../film.ts';

const LINUX = { isLinux: true } as const;

/** Listens until the test ends, on any port if it is 0. Rejects if it is taken. */
async function listenOn(port: number): Promise<number> {
  const server = new Server().listen(port, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('a recording by the plugin', () => {
  it('has every frame at its tick, with sound, in one start, by the commands of the table, and leaves no file', async () => {
    const progress: number[] = [];
    const { setup, result, warnings } = await film({ ...LINUX, onProgress: (fraction) => progress.push(fraction) });
    const recorded = await result;
    await expectTicks(recorded, demo.match, SHOTS, OPTIONS);
    if (!recorded.ok) return;
    expect(recorded.sound).toMatchObject([{ seconds: 3 }, { seconds: 3 }]);
    expect(recorded.sound?.every(({ path }) => path?.endsWith('audio.wav'))).toBe(true);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.at(-1)).toBe(1);
    expect(await setup.isGameRunning()).toBe(false);
    // On a machine too busy to get the game's reports in time, a shot is filmed again.
    const starts = (await setup.events()).filter((event) => event === 'start').length;
    expect(starts).toBeLessThanOrEqual(1 + faults(warnings).length);

    const csgo = join(setup.settings.gameDir, 'game/csgo');
    expect(await setup.leftovers()).toEqual([]);
    expect(await readFile(join(csgo, 'gameinfo.gi'), 'utf8')).not.toContain('csdm');
    expect(
      (await readdir(csgo, { recursive: true })).filter((path) => /\.(tga|wav|so|backup|log)$/.test(path)),
    ).toEqual([]);
    expect((await readdir(setup.folder)).filter((path) => path.includes('.dem'))).toEqual([]);

    const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const rows = COMMANDS.filter(({ by }) => by !== 'HLAE');
    const forms = rows.map(({ form }) => new RegExp(`^${escaped(form).replaceAll(/<[^>]+>/g, '.+')}$`));
    // The plugin itself pauses, resumes and goes back.
    const own = ['demo_pause', 'demo_gototick 0'];
    const sent = (await setup.commands()).filter((line) => !own.includes(line));
    expect(sent.filter((line) => !forms.some((form) => form.test(line)))).toEqual([]);
    const unused = rows.filter((_, i) => !sent.some((line) => forms[i]?.test(line))).map(({ form }) => form);
    expect(unused).toEqual(['cl_demo_predict <0 or 2>', 'pause_playback', 'go_to_next_sequence']);
  });

  it.each(['lands-paused', 'films-elsewhere'])('is the same with %s', async (modes) => {
    const { result } = await film({ ...LINUX, ...ONE, modes });
    await expectTicks(await result, demo.match, ONE.shots, OPTIONS);
  });

  it('refuses the plugin’s connection, which would take a core', async () => {
    const { setup, result } = await film({ ...LINUX, ...ONE });
    await result;
    const log = await readFile(join(setup.settings.gameDir, 'game/bin/linuxsteamrt64/csdm.log'), 'utf8');
    expect(log).toContain('Failed to connect to WebSocket server.\nRetrying in 2s...');
    expect(log).not.toContain('Connected to');
  });
});

it('the log is read while it grows, however long pictures take to be encoded', async () => {
  // After each shot but the last the camera moves away. Read late, that would be in the shot.
  const shots = [900, 1032, 700, 500].map((startTick, i) => buildShot({ pov: i, startTick, endTick: startTick + 32 }));
  const { result } = await film({ ...LINUX, shots, isSlow: true });
  await expectTicks(await result, demo.match, shots, OPTIONS);
});

describe('a faulty film is filmed again, in another start, and never used', () => {
  it.each([
    ['loses-half', /picture \d+ of the film is missing/, 'cs2_unavailable'],
    // Read only after the film, the last one may be missed.
    ['wrong-player', /camera left the player|reported nothing/, expect.any(String)],
    ['no-reports', /reported nothing/, 'cs2_unavailable'],
  ])('%s', async (modes, fault, code) => {
    const { setup, result, warnings } = await film({ ...LINUX, ...ONE, modes });
    await expectFailure(setup, result, code, fault);
    expect(faults(warnings)).toHaveLength(2);
    expect((await setup.events()).filter((event) => event === 'start')).toHaveLength(3);
  });

  it('those that are good are kept', async () => {
    const { setup, result, warnings } = await film({ ...LINUX, modes: 'drifts-once' });
    await expectTicks(await result, demo.match, SHOTS, OPTIONS);
    expect(messages(warnings)).toContain('the camera showed somebody else');
    const events = await setup.events();
    const count = (what: string) => events.filter((event) => event.startsWith(what)).length;
    expect(count('start')).toBeGreaterThan(1);
    expect(count('take')).toBeLessThan(2 * count('start'));
  });
});

describe('a game that fails', () => {
  it.each([
    ['crash', 'cs2_unavailable', /ended while recording/],
    ['plugin-misfit', 'cs2_unavailable', /undefined symbol.*plugin has to be rebuilt/],
    ['plugin-too-old', 'cs2_unavailable', /plugin is older than March 2026/, { unfitBuild: '1.41.6.0' }],
    ['incompatible', 'demo_incompatible', /REPLAY_INCOMPATIBLE/],
    ['no-baseline', 'demo_incompatible', /GetClassBaseline/],
    ['crashes-on=1600', 'cs2_unavailable', /the game crashed while it loaded the demo: the game ended/],
  ])('%s is %s', async (modes, code, detail, more: object = {}) => {
    const { setup, result } = await film({ ...LINUX, ...ONE, modes });
    await expectFailure(setup, result, code, detail, more);
  });

  it.each([
    ['no-log', 'start', /plugin did not load in time/],
    ['never-plays', 'playback', /did not play the demo$/],
    ['asks', 'playback', /did not play the demo; a window “Steam Dialog” waits: Steam asks something/],
    ['gives-up', 'playback', /crashed while it loaded the demo: .*; a window “Error” waits: the game gave up/],
    ['lost-seek', 'seek', /playback does not advance/],
    ['stands-still', 'tick', /playback does not advance/],
  ] as const)('%s is noticed', async (modes, watchdog, detail) => {
    const { setup, timers, result } = await film({ ...LINUX, ...ONE, modes });
    await setup.tellWindows();
    await setup.stuck();
    const ms = await timers.expire(watchdog);
    // Longer for the plugin to log its actions.
    if (watchdog === 'start') expect(ms).toBeGreaterThan(60_000 + 100);
    await expectFailure(setup, result, 'cs2_unavailable', detail);
  });

  it('whose plugin does not see the demo that plays is reported as unfit for the build', async () => {
    const { setup, timers, result } = await film({ ...LINUX, ...ONE, modes: 'dead-hook' });
    await setup.stuck();
    expect(await timers.expire('playback')).toBe(120_000);
    await expectFailure(setup, result, 'cs2_unavailable', /does not see the demo that plays.*does not fit this build/, {
      unfitBuild: '1.41.6.0',
    });
  });

  it('is noticed though its plugin logs on', async () => {
    const { setup, timers, result } = await film({ ...LINUX, ...ONE, modes: 'stands-still' });
    await setup.stuck();
    const log = join(setup.settings.gameDir, 'game/bin/linuxsteamrt64/csdm.log');
    const tries = async () => (await readFile(log, 'utf8')).split('Retrying in 2s...').length;
    // The host may still read what the game did before.
    let seen = { armings: 0, tries: 0 };
    const isQuiet = async () => {
      if (timers.armings('tick') !== seen.armings) seen = { armings: timers.armings('tick'), tries: await tries() };
      return (await tries()) > seen.tries + 2;
    };
    await vi.waitUntil(isQuiet, { timeout: 60_000 });
    await timers.expire('tick');
    await expectFailure(setup, result, 'cs2_unavailable', /playback does not advance/);
  });

  it.each([
    [ONE.shots, 1, 30],
    // The second shot is so near that it needs a seek back of its own.
    [[900, 1060].map((startTick) => buildShot({ startTick, endTick: startTick + 64 })), 3, 20],
  ])('that goes on for longer than a start may take is ended', async (shots, seeks, frames) => {
    const { setup, timers, result } = await film({ ...LINUX, shots, modes: 'lost-seek' });
    await setup.started();
    // A start, seeks, and the frames of the films with 784 around each at two frames a second.
    const ms = 300_000 + seeks * 180_000 + ((frames + shots.length * 784) / 2) * 1000;
    expect(await timers.expire('attempt')).toBe(ms);
    await expectFailure(setup, result, 'cs2_unavailable', /did not end within \d+ minutes/);
  });

  it('that does not end is killed once it has filmed', async () => {
    const { setup, timers, result } = await film({ ...LINUX, ...ONE, modes: 'stubborn' });
    expect(await timers.expire('quit')).toBe(10_000);
    // A busy machine may report too late; then the shot is filmed again.
    const again = async (): Promise<void> => void timers.expire('quit').then(again);
    void again();
    await expectTicks(await result, demo.match, ONE.shots, OPTIONS);
    expect(await setup.isGameRunning()).toBe(false);
  });

  it('is not started on a machine that lacks what it needs', async () => {
    const findFaults = async () => [{ check: 'GPU', detail: 'Vulkan has no device', remedy: 'install the driver' }];
    const { setup, result } = await film({ ...LINUX, findFaults });
    expect(await result).toMatchObject({ code: 'cs2_unavailable', detail: 'Vulkan has no device: install the driver' });
    await expect(setup.events()).rejects.toThrow();
  });

  it('is not started while another host records, and leaves no file', async () => {
    const gameStatePort = await listenOn(0);
    const { setup, result } = await film({ ...LINUX, ...ONE, settings: { gameStatePort } });
    expect(await result).toMatchObject({ code: 'cs2_unavailable', detail: expect.stringContaining('another host') });
    expect((await readdir(setup.folder)).filter((path) => path.includes('.dem'))).toEqual([]);
  });

  it('ends with the job', async () => {
    const controller = new AbortController();
    const reason = new Error('the lease is lost');
    const onProgress = (fraction: number): void => {
      if (fraction > 0.3) controller.abort(reason);
    };
    const { setup, result } = await film({ ...LINUX, signal: controller.signal, onProgress });
    await expect(result).rejects.toBe(reason);
    expect(await setup.isGameRunning()).toBe(false);
    expect(await setup.leftovers()).toEqual([]);
  });

  it('ends when the disk runs full', async () => {
    let calls = 0;
    const free = async () => (calls++ === 0 ? 100 * GIB : GIB / 4);
    const { setup, result } = await film({ ...LINUX, free });
    await expectFailure(setup, result, 'cs2_unavailable', /ran full while recording/);
  });
});
