import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unstable_readConfig as readConfig } from 'wrangler';
import { checkConfig, DeployConfig } from '../../local/check-config.ts';
import { preflight } from '../../local/preflight.ts';
import { writeSample } from '../../local/sample.ts';
import { serveFile } from '../../local/serve-file.ts';
import { startStack } from '../../local/stack.ts';

const config = DeployConfig.parse(readConfig({ config: 'wrangler.toml' }));
const ready = {
  ...config,
  vars: { ...config.vars, BASE_URL: 'https://clips.tickreel.dev' },
  d1_databases: [{ binding: 'DB', database_id: '11111111-1111-4111-8111-111111111111' }],
};
const wrongOf = (one: DeployConfig) =>
  checkConfig(one)
    .filter(({ isWell }) => !isWell)
    .map(({ what }) => what);

describe('preflight', () => {
  it('finds in the configuration of this checkout only what an operator has to fill in', () => {
    expect(wrongOf(config)).toEqual(['database DB', 'address https://tickreel.example.com']);
    expect(wrongOf(ready)).toEqual([]);
  });

  it.each<[string, Partial<DeployConfig>]>([
    ['cron every five minutes', { triggers: { crons: [] } }],
    ['flag enable_request_signal', { compatibility_flags: ['global_fetch_strictly_public'] }],
    ['compatibility date 2024-01-01', { compatibility_date: '2024-01-01' }],
    ['bucket CLIPS', { r2_buckets: [] }],
    ['one jurisdiction for objects and bucket', { vars: { ...ready.vars, JURISDICTION: 'eu' } }],
    ['no log line for each invocation', { observability: { logs: { invocation_logs: true } } }],
    ['a limit of CPU time', { limits: {} }],
    ['a domain of its own', { vars: { BASE_URL: 'https://tickreel.me.workers.dev' } }],
  ])('says that this is wrong: %s', (what, change) => {
    expect(wrongOf({ ...ready, ...change })).toEqual([what]);
  });

  it('has two services make a clip each, and says in what they differ', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tickreel-preflight-test-'));
    const demo = await serveFile((await writeSample(dataDir)).path);
    // Stands for a deployment.
    const stack = await startStack({ port: 0, dataDir, hosts: 0, timeScale: 1, logLevel: 'silent' });
    try {
      const { baseUrl, credentials } = stack;
      const { report, isWell } = await preflight({
        config: 'wrangler.toml',
        url: baseUrl,
        adminToken: credentials.admin_token,
        demoUrl: demo.url,
      });
      expect(isWell).toBe(false);
      expect(report).toMatch(/accept \(ms\) +\d+ +\d+/);
      expect(report).toMatch(/hand-over to a host \(ms\) +\d+ +\d+/);
      expect(report).toMatch(/range +206, private, max-age=300 +206, private, max-age=300$/m);
      expect(report).not.toContain('differs');
    } finally {
      await stack.stop();
      await demo.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
