import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { cs2Settings, loadHostConfig, rendererVariables } from '#render-host/config/host-config.ts';

const BASE = { TICKREEL_URL: 'https://clips.example.com', TICKREEL_HOST_TOKEN: 'tr_host_1' };
const CS2 = {
  ...BASE,
  TICKREEL_RENDERER: 'cs2',
  TICKREEL_WORK_DIR: 'D:\\clips',
  TICKREEL_CS2_DIR: 'C:\\Steam\\steamapps\\common\\Counter-Strike Global Offensive',
  TICKREEL_CS2_LAUNCHER: 'C:\\HLAE\\HLAE.exe',
  TICKREEL_CS2_HOOK: 'C:\\HLAE\\x64\\AfxHookSource2.dll',
};

describe('the renderer that the environment chooses', () => {
  it('is the radar by default', () => {
    expect(loadHostConfig(BASE)).toMatchObject({ ok: true, config: { cs2: null } });
  });

  it('is the game if the settings choose and locate it', () => {
    expect(loadHostConfig({ ...CS2, TICKREEL_CS2_ARGS: ' -dx11  +mat_queue_mode 2' })).toMatchObject({
      ok: true,
      config: {
        cs2: {
          gameDir: CS2.TICKREEL_CS2_DIR,
          launcher: [CS2.TICKREEL_CS2_LAUNCHER],
          hookPath: CS2.TICKREEL_CS2_HOOK,
          consolePort: 2121,
          gameStatePort: 3123,
          gameArgs: ['-dx11', '+mat_queue_mode', '2'],
        },
      },
    });
  });

  it('takes no settings of the game from a host that draws the radar', () => {
    expect(loadHostConfig({ ...CS2, TICKREEL_RENDERER: 'radar' })).toMatchObject({ ok: true, config: { cs2: null } });
  });
});

describe('a game that was chosen and cannot be had', () => {
  const { TICKREEL_WORK_DIR, ...variables } = CS2;
  const settingsWithout = (name: string) => {
    const env = z.object(rendererVariables).parse({ ...variables, [name]: undefined });
    return () => cs2Settings({ ...env, TICKREEL_WORK_DIR });
  };

  it.each(['TICKREEL_CS2_DIR', 'TICKREEL_CS2_LAUNCHER', 'TICKREEL_CS2_HOOK'])('is no radar without %s', (name) => {
    expect(loadHostConfig({ ...CS2, [name]: undefined })).toMatchObject({ ok: false });
    expect(settingsWithout(name)).toThrow('without all that it needs');
  });
});

function complaints(environment: Record<string, string>): string {
  const loaded = loadHostConfig(environment);
  return loaded.ok ? '' : loaded.message;
}

describe('what is wrong with the settings of the game', () => {
  it('is said all at once', () => {
    const message = complaints({ ...BASE, TICKREEL_RENDERER: 'cs2' });
    for (const name of ['TICKREEL_CS2_DIR', 'TICKREEL_CS2_LAUNCHER', 'TICKREEL_CS2_HOOK'])
      expect(message).toContain(name);
  });

  it.each([
    ['TICKREEL_RENDERER', 'directx'],
    ['TICKREEL_CS2_DIR', 'C:\\"; quit; "'],
    ['TICKREEL_CS2_HOOK', 'a{QUOTE}b'],
    ['TICKREEL_CS2_CONSOLE_PORT', '70000'],
    ['TICKREEL_CS2_GAME_STATE_PORT', '2121'],
    ['TICKREEL_CS2_FOOTAGE_CODEC', '-c:v "x"'],
    ['TICKREEL_WORK_DIR', '/tmp/a;b'],
  ])('names %s=%s', (name, value) => {
    expect(complaints({ ...CS2, [name]: value })).toContain(name);
  });
});
