import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PROJECT_ROOT } from '#stack/migrate.ts';
import { freePort } from '#stack/service.ts';
import { startTestStack, type TestStack } from '../../support/test-stack.ts';

const PROMETHEUS = '/usr/bin/prometheus';
const PROMTOOL = '/usr/bin/promtool';
const isMissing = !existsSync(PROMETHEUS) || !existsSync(PROMTOOL);
if (isMissing && process.env.CI) throw new Error('There is no Prometheus: apt-get install prometheus.');

const FILES = join(PROJECT_ROOT, 'tools/deploy/monitoring');
const TOKEN = 'a-token-for-scraping';

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}
const dashboard: Dashboard = JSON.parse(readFileSync(join(FILES, 'dashboard.json'), 'utf8'));
const exprs = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

describe.skipIf(isMissing)('monitoring with the Prometheus of Debian', () => {
  let folder: string;
  let stack: TestStack;
  let prometheus: ChildProcess;
  let address: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tickreel-monitoring-'));
    stack = await startTestStack({ variables: { METRICS_TOKEN: TOKEN } });
    const port = await freePort(0);
    address = `http://127.0.0.1:${port}`;
    writeFileSync(join(folder, 'metrics-token'), TOKEN);
    const settings = readFileSync(join(FILES, 'prometheus.yml'), 'utf8')
      .replace('30s', '1s')
      .replace('scheme: https', 'scheme: http')
      .replace('tickreel.example.com', new URL(stack.baseUrl).host)
      .replace('alerts.yml', join(FILES, 'alerts.yml'));
    writeFileSync(join(folder, 'prometheus.yml'), settings);
    const flags = ['--config.file=prometheus.yml', `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'];
    prometheus = spawn(PROMETHEUS, [...flags, '--storage.tsdb.path=tsdb'], { cwd: folder, stdio: 'inherit' });
  });

  afterAll(async () => {
    prometheus?.kill();
    await stack?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  async function query(expr: string): Promise<{ metric: Record<string, string>; value: [number, string] }[]> {
    const response = await fetch(`${address}/api/v1/query?${new URLSearchParams({ query: expr })}`);
    const { data } = (await response.json()) as { data: { result: [] } };
    return data.result;
  }

  /** Waits until a query has the expected value. */
  const becomes = (expr: string, value: string) =>
    vi.waitFor(async () => expect((await query(expr)).map(({ value: [, now] }) => now)).toEqual([value]), {
      timeout: 60_000,
      interval: 200,
    });

  it('scrapes the service, which shows its token and its backlog', async () => {
    await becomes('up{job="tickreel"}', '1');
    const headers = { Authorization: `Bearer ${stack.credentials.reserved_key}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ demo_url: 'http://127.0.0.1:1/a.dem', steam64_id: '76561198000000001' });
    expect((await fetch(`${stack.baseUrl}/api/clips`, { method: 'POST', headers, body })).status).toBe(201);
    await becomes('tickreel_jobs_waiting{tier="reserved"}', '1');
    await becomes('absent(tickreel_hosts)', '1');
    for (const token of ['', stack.credentials.metered_key, stack.credentials.admin_token]) {
      const refused = await fetch(`${stack.baseUrl}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
      expect(refused.status).toBe(401);
    }
  });

  it('answers every query of the dashboard', async () => {
    for (const expr of exprs) expect(await query(expr), expr).toBeInstanceOf(Array);
  });

  it('takes the alerts, and the queries of the dashboard, for sound rules', () => {
    execFileSync(PROMTOOL, ['check', 'rules', join(FILES, 'alerts.yml')]);
    const rules = exprs.map((expr, i) => ({ record: `dashboard:panel_${i}`, expr }));
    writeFileSync(join(folder, 'dashboard.yml'), JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    execFileSync(PROMTOOL, ['check', 'rules', join(folder, 'dashboard.yml')]);
  });

  it('fires each alert when it should, and not before', () => {
    writeFileSync(join(folder, 'alerts-test.yml'), JSON.stringify(alertTests()));
    execFileSync(PROMTOOL, ['test', 'rules', join(folder, 'alerts-test.yml')]);
  });
});

/** Samples that fire each alert, in the format of promtool. */
function alertTests(): object {
  const hosts = (state: string, build: string) => `tickreel_hosts{state="${state}",build="${build}"}`;
  const cases: [string, Record<string, string>, Record<string, string>?][] = [
    ['TickreelDown', { 'up{job="tickreel"}': '0x60' }, { job: 'tickreel' }],
    ['QueueStuck', { 'tickreel_queue_oldest_seconds{tier="metered"}': '0+60x60' }, { tier: 'metered' }],
    ['NoHosts', { 'tickreel_jobs_waiting{tier="metered"}': '3x60', 'tickreel_hosts{state="gone"}': '2x60' }],
    ['HostsLost', { 'tickreel_hosts{state="lost"}': '1x60' }],
    ['JobsWithoutHost', { tickreel_jobs_unservable: '0 0x8 3x60', 'tickreel_hosts{state="idle"}': '1x60' }],
    ['HostsSetAside', { 'tickreel_hosts{state="set aside"}': '1x60' }],
    ['BuildSetAside', { [hosts('set aside', '2')]: '4x60', [hosts('busy', '1')]: '1x60' }, { build: '2' }],
    ['ClockOff', { tickreel_hosts_clock_off: '1x60' }],
    ['Flood', { 'tickreel_account_refusals{account="a"}': '0+20x60' }, { account: 'a' }],
    ['AlertsUnsent', { tickreel_alerts_unsent: '0 1x60' }],
    ['LeasesExpire', { tickreel_leases_expired_total: '0+1x60' }],
    [
      'RunsFail',
      {
        'tickreel_runs_finished_total{outcome="error",code="render_failed"}': '0+3x60',
        'tickreel_runs_finished_total{outcome="done",code=""}': '0+1x60',
      },
    ],
    ['DatabaseGrows', { tickreel_database_bytes: '1e9+4e6x60' }],
    ['AccountNearLimit', { tickreel_accounts_near_limit: '1x60' }],
    ['WebhooksExhausted', { tickreel_webhooks_given_up: '1x60' }],
    ['DiskFilling', { tickreel_disk_free_bytes: '4e9-2e8x60', tickreel_disk_reserve_bytes: '536870912x60' }],
    ['BackupFailed', { tickreel_backup_done_seconds: '0x60' }],
    ['PurgesWait', { tickreel_purges_waiting: '3x60' }],
    ['ErasureStuck', { tickreel_erasure_oldest_seconds: '83000+300x60' }],
    ['UpkeepFailed', { tickreel_upkeep_done_seconds: '0x60' }],
  ];
  const groups = readFileSync(join(FILES, 'alerts.yml'), 'utf8');
  const tests = cases.map(([name, series, labels = {}]) => {
    const [, rule = ''] = groups.split(`alert: ${name}\n`);
    const summary = (/summary: ['"](.*)['"] \}/.exec(rule)?.[1] ?? '').replace(
      /\{\{ \$labels\.(\w+) \}\}/,
      (_, label: string) => labels[label] ?? '',
    );
    const severity = /severity: (\w+)/.exec(rule)?.[1] ?? '';
    const fires = { exp_labels: { ...labels, severity }, exp_annotations: { summary } };
    return samples(name, series, [fires]);
  });
  // A host whose own recorder is at fault leaves its build to others.
  tests.push(samples('BuildSetAside', { [hosts('set aside', '2')]: '4x60', [hosts('idle', '2')]: '1x60' }, []));
  return { rule_files: [join(FILES, 'alerts.yml')], evaluation_interval: '1m', tests };
}

/** Expects no alert at first, and these after most of an hour of samples. */
function samples(alertname: string, series: Record<string, string>, exp_alerts: readonly object[]) {
  return {
    interval: '1m',
    input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
    alert_rule_test: [
      { eval_time: '0m', alertname, exp_alerts: [] as readonly object[] },
      { eval_time: '50m', alertname, exp_alerts },
    ],
  };
}
