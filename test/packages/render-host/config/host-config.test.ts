import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  cs2Settings,
  DEFAULT_DRAIN_S,
  loadHostConfig,
  rendererVariables,
  SETTING_HELP,
} from '#render-host/config/host-config.ts';
import { withSettingsFile } from '#render-host/config/settings-file.ts';
import { PROJECT_ROOT } from '#stack/migrate.ts';

const needed = { TICKREEL_URL: 'https://tickreel.example.com/', TICKREEL_HOST_TOKEN: 'tr_host_abc' };

function configOf(environment: Record<string, string> = {}) {
  const loaded = loadHostConfig({ ...needed, ...environment });
  if (!loaded.ok) throw new Error(loaded.message);
  return loaded.config;
}

describe('the configuration of a host', () => {
  it('needs an address and a token, and has defaults for the rest', () => {
    expect(configOf()).toMatchObject({
      serviceUrl: 'https://tickreel.example.com',
      token: 'tr_host_abc',
      maxResolution: 1440,
      maxFps: 120,
      metrics: null,
      minFreeBytes: 1024 ** 3,
      cs2: null,
      limits: { download: {}, decompress: {}, parse: {}, clip: {}, encode: {} },
    });
  });

  it('takes the limits of every stage', () => {
    const limits = {
      TICKREEL_MAX_DEMO_MB: '500',
      TICKREEL_DOWNLOAD_TIMEOUT_S: '90',
      TICKREEL_MAX_UNPACKED_MB: '900',
      TICKREEL_UNPACK_TIMEOUT_S: '60',
      TICKREEL_PARSE_MEMORY_MB: '512',
      TICKREEL_PARSE_TIMEOUT_S: '120',
      TICKREEL_ENCODE_STALL_S: '30',
      TICKREEL_MAX_CLIP_S: '600',
      TICKREEL_MAX_CLIP_FRAMES: '9000',
      TICKREEL_MAX_CLIP_MB: '50',
      TICKREEL_MAX_FRAME_MB: '16',
      TICKREEL_MAX_GAP_TICKS: '1000',
      TICKREEL_MAX_MATCH_MB: '8',
      TICKREEL_MIN_DOWNLOAD_KB_S: '50',
    };
    expect(configOf(limits).limits).toEqual({
      download: { maxBytes: 500 * 1024 ** 2, deadlineMs: 90_000, stallMinBytes: 20 * 50 * 1024 },
      decompress: { maxBytes: 900 * 1024 ** 2, timeoutMs: 60_000 },
      parse: {
        memoryMegabytes: 512,
        timeoutMs: 120_000,
        frameBytes: 16 * 1024 ** 2,
        gapTicks: 1000,
        matchBytes: 8 * 1024 ** 2,
      },
      clip: { seconds: 600, frames: 9000 },
      encode: { stallMs: 30_000, maxBytes: 50 * 1024 ** 2 },
    });
  });

  it('serves metrics on this machine only by default', () => {
    expect(configOf({ TICKREEL_METRICS_PORT: '9464' }).metrics).toEqual({ port: 9464, address: '127.0.0.1' });
    const open = { TICKREEL_METRICS_PORT: '9464', TICKREEL_METRICS_ADDRESS: '0.0.0.0' };
    expect(configOf(open).metrics).toEqual({ port: 9464, address: '0.0.0.0' });
  });

  it('polls by default, and listens only with a port and a secret', () => {
    expect(configOf().serve).toBeNull();
    const secret = `whsec_${btoa('x'.repeat(32))}`;
    const serving = { TICKREEL_SERVE: '8080', TICKREEL_PUSH_SECRET: secret };
    expect(configOf(serving).serve).toEqual({ port: 8080, address: undefined, secret });
    for (const wrong of [{ TICKREEL_SERVE: '8080' }, { ...serving, TICKREEL_PUSH_SECRET: 'tr_host_abc' }]) {
      const loaded = loadHostConfig({ ...needed, ...wrong });
      expect(loaded).toMatchObject({ ok: false, issues: [{ variable: 'TICKREEL_PUSH_SECRET' }] });
    }
  });

  it('names everything that is wrong at once', () => {
    const loaded = loadHostConfig({
      TICKREEL_URL: 'ftp://x',
      TICKREEL_MAX_RESOLUTION: '720',
      TICKREEL_MAX_FPS: 'many',
      TICKREEL_PARSE_MEMORY_MB: '0',
      TICKREEL_METRICS_PORT: '70000',
      LOG_LEVEL: 'loud',
    });
    if (loaded.ok) return expect.unreachable();
    expect(loaded.issues.map(({ variable }) => variable).toSorted()).toEqual([
      ...['LOG_LEVEL', 'TICKREEL_HOST_TOKEN', 'TICKREEL_MAX_FPS', 'TICKREEL_MAX_RESOLUTION', 'TICKREEL_METRICS_PORT'],
      ...['TICKREEL_PARSE_MEMORY_MB', 'TICKREEL_URL'],
    ]);
    for (const { variable } of loaded.issues) expect(loaded.message).toContain(variable);
    expect(loaded.issues).toContainEqual({ variable: 'TICKREEL_HOST_TOKEN', message: 'is required' });
  });

  it('says the rule that each breaks in a sentence, and shows no secret', () => {
    const loaded = loadHostConfig({
      TICKREEL_URL: 'ftp://x',
      TICKREEL_HOST_TOKEN: 'my secret',
      TICKREEL_MAX_RESOLUTION: '720',
      TICKREEL_MAX_FPS: '121',
      TICKREEL_DRAIN_S: 'soon',
      TICKREEL_MAX_CLIP_S: '1.5',
      TICKREEL_CS2_DIR: '{}',
      TICKREEL_MIN_FREE_MB: '-1',
      TICKREEL_RENDERER: 'gl',
      LOG_LEVEL: 'loud',
      TICKREEL_MAX_FSP: '60',
    });
    if (loaded.ok) return expect.unreachable();
    expect(loaded.message.split('\n')).toEqual([
      'The settings of this host are wrong.',
      'TICKREEL_URL must be an http or https URL; it is "ftp://x".',
      'TICKREEL_HOST_TOKEN must be a host token.',
      'TICKREEL_MAX_RESOLUTION must be 1080 or 1440; it is "720".',
      'TICKREEL_MAX_FPS must be at most 120; it is "121".',
      'TICKREEL_MIN_FREE_MB must be at least 0; it is "-1".',
      'TICKREEL_DRAIN_S must be a number; it is "soon".',
      'TICKREEL_MAX_CLIP_S must be a whole number; it is "1.5".',
      'LOG_LEVEL must be one of trace, debug, info, warn, error, silent; it is "loud".',
      'TICKREEL_RENDERER must be radar or cs2; it is "gl".',
      'TICKREEL_CS2_DIR must not contain quotes, braces or semicolons; it is "{}".',
      'TICKREEL_MAX_FSP is no setting of a render host: did you mean TICKREEL_MAX_FPS?',
    ]);
  });

  it('takes what is set to nothing for not set', () => {
    expect(configOf({ TICKREEL_METRICS_PORT: '', TICKREEL_MAX_FPS: '', TICKREEL_WORK_DIR: '' })).toMatchObject({
      metrics: null,
      maxFps: 120,
    });
    const { TICKREEL_URL } = needed;
    const loaded = loadHostConfig({ TICKREEL_URL, TICKREEL_HOST_TOKEN: '' });
    expect(loaded).toMatchObject({ ok: false, issues: [{ variable: 'TICKREEL_HOST_TOKEN', message: 'is required' }] });
  });

  it('is warned of what no host knows, and of nothing else', () => {
    const others = {
      PATH: '/bin',
      TICKREEL_CONFIG: '/etc/host.env',
      TICKREEL_API_KEY: 'k',
      FFMPEG_PATH: '/bin/ffmpeg',
    };
    const loaded = loadHostConfig({ ...needed, ...others, TICKREEL_METRIC_PORT: '1', TICKREEL_COLOUR_OF_THE_SKY: '' });
    expect(loaded).toMatchObject({
      ok: true,
      warnings: ['TICKREEL_METRIC_PORT is no setting of a render host: did you mean TICKREEL_METRICS_PORT?'],
    });
    const far = loadHostConfig({ ...needed, TICKREEL_COLOUR_OF_THE_SKY: 'blue' });
    expect(far).toMatchObject({ warnings: ['TICKREEL_COLOUR_OF_THE_SKY is no setting of a render host.'] });
  });

  it('has each setting in the documents for operators', () => {
    const documents = ['render-host', 'gpu-host'].map((name) => readFileSync(join(PROJECT_ROOT, `docs/${name}.md`)));
    for (const name of Object.keys(SETTING_HELP)) expect(documents.join('\n')).toContain(`| \`${name}\` |`);
  });
});

/** Seconds to hand a job back after the drain time. */
const HAND_BACK_S = 30;
const DOCKER_STOP_S = 10;

const deployed = (name: string) => readFileSync(join(PROJECT_ROOT, 'tools/deploy/render-host', name), 'utf8');

function numberIn(file: string, pattern: RegExp): number {
  const found = pattern.exec(deployed(file))?.[1];
  if (found === undefined) throw new Error(`${file} has no ${pattern}`);
  return Number(found);
}

it('service managers wait until a host has drained and handed its job back', () => {
  const unit = numberIn('tickreel-render-host.service', /^TimeoutStopSec=(\d+)$/m);
  expect(deployed('tickreel-render-host.service')).not.toMatch(/^Environment=.*TICKREEL_DRAIN_S/m);
  expect(unit).toBeGreaterThanOrEqual(DEFAULT_DRAIN_S + HAND_BACK_S);
  const compose = numberIn('compose.yaml', /^ +stop_grace_period: (\d+)s$/m);
  expect(compose).toBeGreaterThanOrEqual(numberIn('compose.yaml', /^ +TICKREEL_DRAIN_S: (\d+)$/m) + HAND_BACK_S);
});

it('a container that is stopped without more ado hands its job back before it is killed', () => {
  expect(numberIn('Containerfile', /^ +TICKREEL_DRAIN_S=(\d+)$/m)).toBeLessThanOrEqual(DOCKER_STOP_S / 2);
});

const TEXT = `# a remark
TICKREEL_URL=https://of-the-file.example.com

  TICKREEL_CS2_ARGS = -dx11
TICKREEL_CS2_DIR="C:\\\\Games\\\\Counter-Strike"
TICKREEL_METRICS_PORT='9464'
TICKREEL_HOST_TOKEN=a=b\r
`.replace(' = ', '=');

const reading = (text: string) => (path: string) => {
  expect(path).toBe('/etc/host.env');
  return text;
};

describe('settings from a file', () => {
  it('are read a line each, without remarks and quotes, and give way to the environment', () => {
    const environment = { TICKREEL_URL: 'https://clips.example.com', TICKREEL_METRICS_PORT: '', LOG_LEVEL: 'warn' };
    expect(withSettingsFile(environment, '/etc/host.env', reading(TEXT))).toEqual({
      ok: true,
      environment: {
        TICKREEL_URL: 'https://clips.example.com',
        LOG_LEVEL: 'warn',
        TICKREEL_CS2_ARGS: '-dx11',
        TICKREEL_CS2_DIR: 'C:\\\\Games\\\\Counter-Strike',
        TICKREEL_METRICS_PORT: '9464',
        TICKREEL_HOST_TOKEN: 'a=b',
      },
    });
  });

  it('are those of TICKREEL_CONFIG where no other file is named', () => {
    const named = withSettingsFile({ TICKREEL_CONFIG: '/etc/host.env' }, undefined, reading('LOG_LEVEL=debug'));
    expect(named).toMatchObject({ ok: true, environment: { LOG_LEVEL: 'debug' } });
    const told = withSettingsFile({ TICKREEL_CONFIG: '/elsewhere' }, '/etc/host.env', reading('LOG_LEVEL=debug'));
    expect(told).toMatchObject({ ok: true, environment: { LOG_LEVEL: 'debug' } });
  });

  it('leave the environment alone where there is no file', () => {
    const environment = { TICKREEL_CONFIG: '', LOG_LEVEL: 'warn' };
    expect(withSettingsFile(environment, undefined)).toEqual({ ok: true, environment });
  });

  it('have a line that is none named by its number, and not shown', () => {
    const wrong = withSettingsFile({}, '/etc/host.env', reading('LOG_LEVEL=debug\ntr_host_secret\n'));
    expect(wrong).toEqual({ ok: false, message: '/etc/host.env, line 2: write a setting as NAME=value.' });
  });

  it('have to be there', () => {
    const wrong = withSettingsFile({}, '/nowhere/host.env');
    expect(wrong).toMatchObject({
      ok: false,
      message: expect.stringMatching(/cannot be read: .*\/nowhere\/host\.env/),
    });
  });
});

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
    return () => cs2Settings({ ...env, TICKREEL_WORK_DIR, TICKREEL_MAX_RESOLUTION: 1440 });
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
