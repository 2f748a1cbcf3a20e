import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { completions } from '../../client/cli/completion-command.ts';
import { createProgram } from '../../client/cli/program.ts';
import { showProgress } from '../../client/cli/progress-bar.ts';
import { addSettings, settingsOf, storeSettings } from '../../client/cli/settings.ts';
import { addRequestOptions, requestOf } from '../../client/cli/submit-command.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tickreel-client-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  vi.unstubAllEnvs();
});

function fileOf(value: unknown): string {
  const path = join(folder, 'file.json');
  writeFileSync(path, JSON.stringify(value));
  return path;
}

/** The request that options make; throws what commander says. */
function request(...args: string[]) {
  const command = addRequestOptions(new Command().argument('[demo-url]')).exitOverride();
  command.configureOutput({ writeErr: () => {} }).parse(args, { from: 'user' });
  return requestOf(command.args[0], command.opts());
}

describe('options of a submit', () => {
  it('are the fields of a request', () => {
    expect(
      request(
        ...['https://d.example/a.dem', '--player', '1', '--round', '7', '--pre-kill-padding', '0.5'],
        ...['--post-kill-padding', '2', '--fps', '60', '--resolution', '1440', '--command', 'spec_show_xray=1'],
        ...['--command', 'cl_draw_only_deathnotices=0', '--hud-killfeed', '--hud-damage-ticker'],
        ...['--thumbnail-style', 'none', '--watermark', 'w', '--key', 'k', '--force', '--extras', '{"a":[1]}'],
        ...['--webhook-url', 'https://e.example/', '--webhook-auth-header', 'Basic x'],
      ),
    ).toEqual({
      ...{
        demo_url: 'https://d.example/a.dem',
        steam64_id: '1',
        round: 7,
        pre_kill_padding: 0.5,
        post_kill_padding: 2,
      },
      ...{ fps: 60, resolution: 1440, commands: { spec_show_xray: '1', cl_draw_only_deathnotices: '0' } },
      ...{ hud_killfeed: true, hud_damage_ticker: true, thumbnail_style: 'none', watermark_image_id: 'w' },
      ...{ idempotency_key: 'k', force: true, extras: { a: [1] }, webhook_url: 'https://e.example/' },
      webhook_auth_header: 'Basic x',
    });
  });

  it('have a timeline of segments, or one out of a file', () => {
    const timeline = [
      { steam64_id: '1', start_tick: 64, end_tick: 640 },
      { steam64_id: '2', start_tick: 700, end_tick: 900 },
    ];
    expect(request('u', '--segment', '1:64-640', '--segment', '2:700-900')).toEqual({ demo_url: 'u', timeline });
    expect(request('u', '--timeline', fileOf(timeline))).toEqual({ demo_url: 'u', timeline });
    expect(() => request('u', '--timeline', fileOf([]), '--segment', '1:64-640')).toThrow('either');
  });

  it('go before what a file says', () => {
    expect(request('--request', fileOf({ demo_url: 'u', fps: 30, round: 2 }), '--fps', '60')).toEqual({
      ...{ demo_url: 'u', fps: 60, round: 2 },
    });
  });

  it.each([
    ['--round', 'abc'],
    ['--round', '1.5'],
    ['--round', ''],
    ['--fps', '0x10'],
    ['--pre-kill-padding', 'long'],
    ['--segment', '1:64'],
    ['--command', 'spec_show_xray'],
    ['--extras', 'no json'],
    ['--timeline', '/nowhere.json'],
    ['--request', '/nowhere.json'],
  ])('are refused where they are none: %s %s', (option, value) => {
    expect(() => request('u', option, value)).toThrow(option);
  });
});

describe('settings', () => {
  const command = (...args: string[]) => {
    const program = addSettings(new Command()).action(() => {});
    return program.parse([...args, '--config', join(folder, 'sub', 'config.json')], { from: 'user' });
  };

  it('are an option, else of the environment, else stored', () => {
    vi.stubEnv('TICKREEL_URL', '');
    vi.stubEnv('TICKREEL_API_KEY', '');
    expect(() => settingsOf(command(), 'url', 'api_key')).toThrow(
      'Set TICKREEL_URL and TICKREEL_API_KEY in the environment, give --url and --api-key, or run `tickreel login`.',
    );
    storeSettings(command(), { url: 'https://stored.example', api_key: 'stored' });
    expect(settingsOf(command(), 'url', 'api_key')).toEqual({ url: 'https://stored.example', api_key: 'stored' });
    vi.stubEnv('TICKREEL_API_KEY', 'of the environment');
    expect(settingsOf(command(), 'api_key')).toEqual({ api_key: 'of the environment' });
    expect(settingsOf(command('--api-key', 'given'), 'api_key')).toEqual({ api_key: 'given' });
    expect(() => settingsOf(command('--url', 'stored.example'), 'url')).toThrow('https://');
  });

  it('are stored for nobody else to read, beside those that are there', () => {
    const path = storeSettings(command(), { url: 'https://a.example' });
    writeFileSync(path, readFileSync(path), { mode: 0o644 });
    storeSettings(command(), { api_key: 'k' });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ url: 'https://a.example', api_key: 'k' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    writeFileSync(path, 'no json');
    expect(() => settingsOf(command(), 'admin_token')).toThrow('is no file of settings');
  });
});

describe('completion', () => {
  const complete = (...words: string[]) => completions(createProgram(), words);

  it('knows commands, options and choices', () => {
    expect(complete('cl')).toEqual(['clips']);
    expect(complete('jobs', 're')).toEqual(['resend-webhook', 'resubmit']);
    expect(complete('submit', 'u', '--thumbnail-style', '')).toEqual(['full', 'killfeed', 'none']);
    expect(complete('submit', '--hud')).toEqual(['--hud-damage-ticker', '--hud-killfeed']);
    expect(complete('--json', 'jobs', 'list', '--api')).toEqual(['--api-key']);
    expect(complete('completion', '')).toContain('fish');
    expect(complete('')).not.toContain('complete');
  });

  it('leaves what it does not know to the shell', () => {
    expect(complete('submit', '--request', '')).toEqual([]);
    expect(complete('--url', 'jobs', 'show')).toEqual([]);
  });
});

describe('progress', () => {
  const shown = (isTTY: boolean) => {
    let text = '';
    const write = (more: unknown) => {
      text += more;
      return true;
    };
    const display = showProgress({ isTTY, write });
    const step = (status: 'render' | 'done' | 'retrying', progress: number | null, error_code: string | null = null) =>
      display.update({ status, progress, attempt: 1, error_code });
    step('render', 0.5);
    step('render', 0.52);
    step('retrying', null, 'download_error');
    step('done', null);
    display.stop();
    return text;
  };

  it('is a bar on a terminal', () => {
    expect(shown(true).split('\r').at(1)).toBe(`  ${'█'.repeat(16)}${'░'.repeat(16)}  50 %  rendering\u001b[K`);
    expect(shown(true)).toMatch(/100 % {2}done\S*\n$/);
  });

  it('is a line at each tenth elsewhere', () => {
    expect(shown(false)).toBe('  rendering 50 %\n  waiting to try again: download_error 0 %\n  done 100 %\n');
  });
});
