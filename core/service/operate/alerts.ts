import { reasonOf } from '#domain/lib/text.ts';
import { alertsOf } from '#domain/operate/alerts.ts';
import type { Service } from '#service/lib/service.ts';
import { selectAccountsNearLimit } from '#storage/job/retention.ts';
import { readCounts } from './numbers.ts';
import { type AlertNotes, NO_NOTES, readAlertNotes, readVitals, saveAlertNotes } from './vitals.ts';

const ANSWER_MS = 10_000;

type AlertService = Pick<Service, 'database' | 'dispatcher' | 'settings' | 'now' | 'disk' | 'callOperator' | 'log'>;

/**
 * Notes which alerts fire and since when, and sends those that begin or end to `ALERT_WEBHOOK_URL`, if set, once each.
 * If the receiver does not answer, the next run of the cron sends them again. If the index does not answer, every run
 * sends an alert. `upkeepError`: why the upkeep of this run failed.
 */
export async function sendAlerts(service: AlertService, upkeepError: string | null): Promise<void> {
  const { database, settings, now, log } = service;
  let before = NO_NOTES;
  let since: Record<string, number> = {};
  let firing: Record<string, string>;
  let nearLimit: string | null = null;
  try {
    before = await readAlertNotes(database);
    const counts = await readCounts(service, now(), 1);
    nearLimit = (await selectAccountsNearLimit(database, settings.limits)).find(({ isTest }) => !isTest)?.id ?? null;
    const vitals = await readVitals(service, counts, { upkeepError, alertError: null, nearLimit }, now());
    for (const name of Object.keys(alertsOf(vitals))) since[name] = before.since[name] ?? now();
    firing = alertsOf(vitals, (name) => now() - (since[name] ?? now()));
  } catch (error) {
    // Without the index, no alert may be reported as ended.
    since = { UpkeepFailed: now(), ...before.since };
    const still = before.sent.map((name) => [name, 'It is not known whether this is still so.']);
    firing = { ...Object.fromEntries(still), UpkeepFailed: `The service cannot be looked at: ${reasonOf(error)}` };
  }
  const begun = Object.entries(firing).filter(([name]) => !before.sent.includes(name));
  const resolved = before.sent.filter((name) => !(name in firing));
  const notes: AlertNotes = { ...before, since, upkeepError, nearLimit };
  let failure: string | null = null;
  if (settings.alertUrl !== null && begun.length + resolved.length > 0) {
    const lines = begun.map(([name, text]) => `${name}: ${text}`);
    const text = [...lines, ...resolved.map((name) => `${name}: resolved.`)].join('\n');
    failure = (await postAlert(service, settings.alertUrl, { firing, resolved, text })).error;
    if (failure === null) Object.assign(notes, { sent: Object.keys(firing), lastSent: now(), lastError: null });
    else notes.lastError = { at: before.lastError?.at ?? now(), error: failure };
  }
  if (notes.lastError !== null) notes.since = { ...since, AlertsUnsent: notes.lastError.at };
  if (JSON.stringify(notes) !== JSON.stringify(before)) await saveAlertNotes(database, notes);
  if (failure === null) return;
  log('alerts could not be sent', { alerts: [...begun.map(([name]) => name), ...resolved], error: failure });
  throw new Error(failure);
}

/** Sends a message to the receiver of alerts. Never rejects. `error`: why it does not count as taken. */
export async function postAlert(
  { settings, callOperator }: Pick<Service, 'settings' | 'callOperator'>,
  url: string,
  message: object,
): Promise<{ status: number | null; error: string | null }> {
  try {
    const response = await callOperator(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ service: settings.baseUrl, ...message }),
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    await response.body?.cancel();
    return { status: response.status, error: response.ok ? null : `ALERT_WEBHOOK_URL answered ${response.status}` };
  } catch (error) {
    return { status: null, error: `ALERT_WEBHOOK_URL did not answer: ${reasonOf(error)}` };
  }
}

/** Requests HEARTBEAT_URL, if set, after a run of the cron without a failure. Rejects if the status is not 2xx. */
export async function sendHeartbeat(service: Pick<Service, 'settings' | 'callOperator'>): Promise<void> {
  const { heartbeatUrl } = service.settings;
  if (heartbeatUrl === null) return;
  const response = await service.callOperator(heartbeatUrl, { signal: AbortSignal.timeout(ANSWER_MS) });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`HEARTBEAT_URL answered ${response.status}`);
}
