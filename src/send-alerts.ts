import { alertsOf } from '#domain/alerts.ts';
import { reasonOf } from '#domain/reason.ts';
import type { Service } from '#service/service.ts';
import { readCounts } from './admin/overview.ts';
import { NO_NOTES, readAlertNotes, readVitals, saveAlertNotes } from './vitals.ts';

const ANSWER_MS = 10_000;

/**
 * Notes which alerts fire and since when, and sends those that begin or end to `ALERT_WEBHOOK_URL`, if set, once each.
 * If the receiver does not answer, the next run of the cron sends them again. If the index does not answer, every run
 * sends an alert. `upkeepError`: why the upkeep of this run failed.
 */
export async function sendAlerts(
  service: Pick<Service, 'database' | 'dispatchers' | 'settings' | 'now' | 'disk' | 'callOperator'>,
  upkeepError: string | null,
): Promise<void> {
  const { database, settings, now } = service;
  let before = NO_NOTES;
  let firing: Record<string, string>;
  try {
    before = await readAlertNotes(database);
    firing = alertsOf(await readVitals(service, await readCounts(service, now(), 1), upkeepError));
  } catch (error) {
    // Without the index, no alert may be reported as ended.
    const still = before.sent.map((name) => [name, 'It is not known whether this is still so.']);
    firing = { ...Object.fromEntries(still), UpkeepFailed: `The service cannot be looked at: ${reasonOf(error)}` };
  }
  const since = Object.fromEntries(Object.keys(firing).map((name) => [name, before.since[name] ?? now()]));
  const notes = { ...before, since, upkeepError };
  const { alertUrl } = settings;
  const error = alertUrl === null ? null : await send(service, alertUrl, before.sent, firing).catch(reasonOf);
  if (error === true) Object.assign(notes, { sent: Object.keys(firing), lastSent: now(), lastError: null });
  if (typeof error === 'string') notes.lastError = { at: now(), error };
  if (JSON.stringify(notes) !== JSON.stringify(before)) await saveAlertNotes(database, notes);
  if (typeof error === 'string') throw new Error(error);
}

/** Sends what has changed since the alerts that were sent. Returns whether anything had. */
async function send(
  service: Pick<Service, 'settings' | 'callOperator'>,
  url: string,
  sent: readonly string[],
  firing: Record<string, string>,
): Promise<boolean> {
  const begun = Object.entries(firing).filter(([name]) => !sent.includes(name));
  const resolved = sent.filter((name) => !(name in firing));
  if (begun.length === 0 && resolved.length === 0) return false;
  const lines = [...begun.map(([name, text]) => `${name}: ${text}`), ...resolved.map((name) => `${name}: well again.`)];
  const response = await service.callOperator(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ service: service.settings.baseUrl, firing, resolved, text: lines.join('\n') }),
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`ALERT_WEBHOOK_URL answered ${response.status}`);
  return true;
}

/** Requests HEARTBEAT_URL, if set, after a run of the cron without a failure. Rejects if the status is not 2xx. */
export async function sendHeartbeat(service: Pick<Service, 'settings' | 'callOperator'>): Promise<void> {
  const { heartbeatUrl } = service.settings;
  if (heartbeatUrl === null) return;
  const response = await service.callOperator(heartbeatUrl, { signal: AbortSignal.timeout(ANSWER_MS) });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`HEARTBEAT_URL answered ${response.status}`);
}
