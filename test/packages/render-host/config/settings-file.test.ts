import { describe, expect, it } from 'vitest';
import { withSettingsFile } from '#render-host/config/settings-file.ts';

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
        ...{ TICKREEL_URL: 'https://clips.example.com', LOG_LEVEL: 'warn', TICKREEL_CS2_ARGS: '-dx11' },
        ...{ TICKREEL_CS2_DIR: 'C:\\\\Games\\\\Counter-Strike', TICKREEL_METRICS_PORT: '9464' },
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
