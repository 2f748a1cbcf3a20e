import { alertsOf, type Vitals } from '#domain/alerts.ts';
import { reasonOf } from '#domain/reason.ts';
import type { Service } from '#service/service.ts';
import { selectJobSums } from '#storage/account-sums.ts';
import { readCursor, saveCursor } from '#storage/upkeep.ts';
import { readOverview } from './admin/overview.ts';
import { EARLY } from './health.ts';

const ANSWER_MS = 10_000;
/** The cursor with the alerts that were sent last. */
const SENT = 'alerts';

/**
 * Sends alerts that begin or end to `ALERT_WEBHOOK_URL`, once each. If the receiver does not answer, the next run of
 * the cron sends them again. If the index does not answer, every run sends an alert. This is for operators who do not
 * scrape metrics; the others use tools/deploy/monitoring/alerts.yml. `upkeepError`: why the upkeep of this run failed.
 */
export async function sendAlerts(
  service: Pick<Service, 'database' | 'dispatchers' | 'settings' | 'now' | 'disk' | 'callOperator'>,
  upkeepError: string | null,
): Promise<void> {
  const { alertUrl, baseUrl } = service.settings;
  if (alertUrl === null) return;
  let sent: readonly string[] = [];
  let firing: Record<string, string>;
  try {
    sent = (await readCursor(service.database, SENT))?.split(' ') ?? [];
    firing = alertsOf(await vitalsNow(service, upkeepError));
  } catch (error) {
    // Without the index, no alert may be reported as ended.
    const before = Object.fromEntries(sent.map((name) => [name, 'It is not known whether this is still so.']));
    firing = { ...before, UpkeepFailed: `The service cannot be looked at: ${reasonOf(error)}` };
  }
  const begun = Object.entries(firing).filter(([name]) => !sent.includes(name));
  const resolved = sent.filter((name) => !(name in firing));
  if (begun.length === 0 && resolved.length === 0) return;
  const lines = [...begun.map(([name, text]) => `${name}: ${text}`), ...resolved.map((name) => `${name}: well again.`)];
  const response = await service.callOperator(alertUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ service: baseUrl, firing, resolved, text: lines.join('\n') }),
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`ALERT_WEBHOOK_URL answered ${response.status}`);
  await saveCursor(service.database, SENT, Object.keys(firing).join(' ') || undefined);
}

/** Requests HEARTBEAT_URL, if set, after a run of the cron without a failure. Rejects if the status is not 2xx. */
export async function sendHeartbeat(service: Pick<Service, 'settings' | 'callOperator'>): Promise<void> {
  const { heartbeatUrl } = service.settings;
  if (heartbeatUrl === null) return;
  const response = await service.callOperator(heartbeatUrl, { signal: AbortSignal.timeout(ANSWER_MS) });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`HEARTBEAT_URL answered ${response.status}`);
}

async function vitalsNow(service: Parameters<typeof sendAlerts>[0], upkeepError: string | null): Promise<Vitals> {
  const { queue, hosts, webhooks, days } = await readOverview(service, service.now(), 1);
  const { bytes } = await selectJobSums(service.database);
  const oldest = queue.flatMap(({ oldest_s }) => oldest_s ?? []);
  const [today = { done: 0, failed: {} }] = days;
  return {
    waiting: queue.reduce((sum, { waiting }) => sum + waiting, 0),
    oldestS: oldest.length === 0 ? null : Math.max(...oldest),
    hosts: (hosts.idle ?? 0) + (hosts.busy ?? 0),
    givenUp: webhooks.given_up,
    done: today.done,
    failed: Object.values(today.failed).reduce((a, b) => a + b, 0),
    upkeepError,
    databaseBytes: bytes,
    isDiskFilling: !(await service.disk.hasSpace(EARLY)),
  };
}
