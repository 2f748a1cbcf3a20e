import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadHostConfig, SETTING_HELP } from '#render-host/config/host-config.ts';
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
      ...{ serviceUrl: 'https://tickreel.example.com', token: 'tr_host_abc' },
      ...{ maxResolution: 1440, maxFps: 120, metrics: null, minFreeBytes: 1024 ** 3, cs2: null },
      limits: { download: {}, decompress: {}, parse: {}, clip: {}, encode: {} },
    });
  });

  it('takes the limits of every stage', () => {
    const limits = {
      ...{ TICKREEL_MAX_DEMO_MB: '500', TICKREEL_DOWNLOAD_TIMEOUT_S: '90', TICKREEL_MAX_UNPACKED_MB: '900' },
      ...{ TICKREEL_UNPACK_TIMEOUT_S: '60', TICKREEL_PARSE_MEMORY_MB: '512', TICKREEL_PARSE_TIMEOUT_S: '120' },
      ...{ TICKREEL_ENCODE_STALL_S: '30', TICKREEL_MAX_CLIP_S: '600', TICKREEL_MAX_CLIP_FRAMES: '9000' },
      ...{ TICKREEL_MAX_CLIP_MB: '50', TICKREEL_MAX_FRAME_MB: '16', TICKREEL_MAX_GAP_TICKS: '1000' },
      ...{ TICKREEL_MAX_MATCH_MB: '8', TICKREEL_MIN_DOWNLOAD_KB_S: '50' },
    };
    expect(configOf(limits).limits).toEqual({
      download: { maxBytes: 500 * 1024 ** 2, deadlineMs: 90_000, stallMinBytes: 20 * 50 * 1024 },
      decompress: { maxBytes: 900 * 1024 ** 2, timeoutMs: 60_000 },
      parse: {
        ...{ memoryMegabytes: 512, timeoutMs: 120_000 },
        ...{ frameBytes: 16 * 1024 ** 2, gapTicks: 1000, matchBytes: 8 * 1024 ** 2 },
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
      ...{ TICKREEL_URL: 'ftp://x', TICKREEL_MAX_RESOLUTION: '720', TICKREEL_MAX_FPS: 'many' },
      ...{ TICKREEL_PARSE_MEMORY_MB: '0', TICKREEL_METRICS_PORT: '70000', LOG_LEVEL: 'loud' },
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
      ...{ TICKREEL_URL: 'ftp://x', TICKREEL_HOST_TOKEN: 'my secret', TICKREEL_MAX_RESOLUTION: '720' },
      ...{ TICKREEL_MAX_FPS: '121', TICKREEL_DRAIN_S: 'soon', TICKREEL_MAX_CLIP_S: '1.5', TICKREEL_CS2_DIR: '{}' },
      ...{ TICKREEL_MIN_FREE_MB: '-1', TICKREEL_RENDERER: 'gl', LOG_LEVEL: 'loud', TICKREEL_MAX_FSP: '60' },
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
      ...{ metrics: null, maxFps: 120 },
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
