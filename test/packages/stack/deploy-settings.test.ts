import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy } from '#stack/setup/deploy.ts';
import { changesFor } from '#stack/setup/deployment.ts';
import { openCloudflare } from './cloudflare-account.ts';
import type { CloudflareApi } from './cloudflare-api.ts';

const CLIP_ID_SECRET = 'a-secret-for-clip-ids-of-32-chars-or-more';
const ZONE = 'a'.repeat(32);

/** Runs the real wrangler against a fake of the API of the platform. */
describe('npm run deploy', { timeout: 600_000 }, () => {
  let folder: string;
  let url: string;
  let api: CloudflareApi;

  let end: () => Promise<void>;
  beforeAll(async () => {
    ({ folder, url, api, end } = await openCloudflare());
  });
  afterAll(() => end());

  const run = (vars: Record<string, string>, givenSecrets: Record<string, string> = {}) => {
    const changes = changesFor('production', 'tickreel', { BASE_URL: url, ...vars });
    return deploy({ env: 'production', isDry: false, say: () => {}, changes, folder, givenSecrets });
  };
  const changed = () => api.asked.filter((line) => !line.startsWith('GET'));

  it('names all wrong settings, and the ones that were meant, before it changes anything', async () => {
    const wrong = run({ PURGE_ZONE_ID: ZONE, LOG_LEVLE: 'info', LIMIT_JOBS: 'many' });
    const lines = await wrong.then(
      () => [],
      (error: Error) => error.message.split('\n'),
    );
    expect(lines).toEqual([
      'settings: CLIP_ID_SECRET is missing: npm run deploy -- --secret CLIP_ID_SECRET',
      expect.stringMatching(/^ {2}LIMIT_JOBS Invalid input: .*; 20000 is used instead$/),
      '  PURGE_TOKEN is missing; PURGE_ZONE_ID cannot be used without it: npm run deploy -- --secret PURGE_TOKEN',
      '  LOG_LEVLE is no variable of the service: did you mean LOG_LEVEL?',
    ]);
    await expect(run({ PURGE_ZONE_ID: ZONE }, { CLIP_ID_SECRET: 'short', PURGE_TOKEN: 'x' })).rejects.toThrow(
      'settings: CLIP_ID_SECRET Too small',
    );
    await expect(run({}, { CLIP_ID_SECRET, PURGE_TOKN: 'x' })).rejects.toThrow('did you mean PURGE_TOKEN?');
    await expect(run({ METRICS_TOKEN: 'x'.repeat(16) }, { METRICS_TOKEN: 'y'.repeat(16) })).rejects.toThrow(
      'METRICS_TOKEN is in the variables of the configuration',
    );
    expect(changed()).toEqual([]);
  });

  it('sets variables and secrets in one version, keeps the other secrets, and never replaces CLIP_ID_SECRET', async () => {
    await run({ PURGE_ZONE_ID: ZONE }, { CLIP_ID_SECRET, PURGE_TOKEN: 'a-purge-token' });
    const uploads = changed().filter((line) => /scripts\/tickreel(\/versions)?$/.test(line));
    expect(uploads).toHaveLength(1);
    expect(api.workers.deployed(api.workers.find('tickreel')).bindings).toEqual(
      expect.arrayContaining([
        { type: 'plain_text', name: 'PURGE_ZONE_ID', text: ZONE },
        { type: 'secret_text', name: 'PURGE_TOKEN', text: 'a-purge-token' },
      ]),
    );
    expect(Object.fromEntries(api.workers.secrets('tickreel'))).toEqual({
      CLIP_ID_SECRET,
      PURGE_TOKEN: 'a-purge-token',
    });
    const before = changed().length;
    await expect(run({}, { CLIP_ID_SECRET: `${CLIP_ID_SECRET}-2` })).rejects.toThrow('no clip would be found');
    expect(changed()).toHaveLength(before);
  });
});

it('--secret wants a line of standard input for each name, in their order', async () => {
  const program = fileURLToPath(new URL('../../../packages/stack/deploy-cli.ts', import.meta.url));
  const child = spawn(process.execPath, [program, '--secret', 'PURGE_TOKEN', '--secret', 'METRICS_TOKEN']);
  child.stdin.end('one\n');
  expect((await text(child.stderr)).trim()).toBe('--secret METRICS_TOKEN: standard input has no line with its value');
});
