import { ACCOUNT_ID, DONE_JOB, JOB_ID } from '#protocol/examples/client.ts';
import { OVERVIEW } from '#protocol/examples/operator.ts';
import { isoTime, isoTimeOrNull } from '#protocol/lib/shapes.ts';
import {
  AlertTested,
  FaceitCheck,
  Overview,
  OverviewQuery,
  SearchAnswer,
  SearchQuery,
} from '#protocol/operate/operate.ts';
import { checkFaceit as tryFaceit } from '#service/demo/faceit.ts';
import { jobIdOfKey } from '#service/job/submit-one.ts';
import { maintenanceView } from '#service/lib/controls.ts';
import { answer, operation, type Words } from '#service/lib/operation.ts';
import { postAlert } from '#service/operate/alerts.ts';
import { type OverviewService, readCounts, readSpeed } from '#service/operate/numbers.ts';
import { firingOf, readAlertNotes, readVitals, saveAlertNotes } from '#service/operate/vitals.ts';
import { readNames, selectFound, selectSalts } from '#storage/operate/find.ts';

export const getOverview = operation({
  route: 'GET /admin/overview',
  scope: 'operator:read',
  query: OverviewQuery,
  answers: { 200: Overview },
  handler: async (service, { query, reply }) => {
    const { days } = query();
    return reply(200, await readOverview(service, service.now(), days));
  },
});

export async function readOverview(service: OverviewService, now: number, days: number): Promise<Overview> {
  const { database, controls } = service;
  const [counts, notes, speed, { maintenance }] = await Promise.all([
    readCounts(service, now, days),
    readAlertNotes(database),
    readSpeed(database, now),
    controls.read(),
  ]);
  const { upkeepError, nearLimit, lastSent, lastError } = notes;
  const noted = { upkeepError, nearLimit, alertError: lastError?.error ?? null };
  const vitals = await readVitals(service, counts, noted, now);
  const { numbers: _, ...shown } = counts;
  const { alertUrl } = service.settings;
  return {
    maintenance: maintenance && maintenanceView(maintenance),
    firing: firingOf(vitals, notes, now),
    alerts: {
      receiver: alertUrl === null ? null : new URL(alertUrl).host,
      last_sent: isoTimeOrNull(lastSent),
      last_error: lastError && { since: isoTime(lastError.at), error: lastError.error },
    },
    ...shown,
    speed,
  };
}

const AGAIN_MS = 5000;

/** Answers one event and ends, so an idle page holds nothing open. */
export const watchOverview = operation({
  route: 'GET /admin/events',
  scope: 'operator:read',
  handler: async (service) => {
    const overview = await readOverview(service, service.now(), 1);
    const body = `data: ${JSON.stringify(overview)}\n\nretry: ${AGAIN_MS}\n\n`;
    return new Response(body, { headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' } });
  },
});

/** The most accounts whose job of an idempotency key is looked for. Each costs a hash. */
const ACCOUNTS = 200;

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** The id of a job without a clip is computed from the clip's id, and that of an idempotency key from the key. */
export const searchAll = operation({
  route: 'GET /admin/search',
  scope: 'operator:read',
  query: SearchQuery,
  answers: { 200: SearchAnswer },
  handler: async ({ database, clipIds }, { query, reply }) => {
    const { q, account } = query();
    const ids = (q.toLowerCase().match(UUID) ?? []).slice(0, 10);
    const salts = await selectSalts(database, account, ACCOUNTS + 1);
    const tried = salts.slice(0, ACCOUNTS);
    const [owners, jobs] = await Promise.all([
      Promise.all(ids.map(clipIds.ownerOf)),
      Promise.all(tried.map((salt) => jobIdOfKey(salt, q))),
    ]);
    const found = await selectFound(database, [...ids, ...owners, ...jobs], q);
    const nameOf = await readNames(
      database,
      found.map(({ accountId }) => accountId),
    );
    const results = found.map(({ kind, id, name, accountId, jobId }) => ({
      kind,
      id,
      name,
      job_id: jobId,
      account_id: accountId,
      account_name: nameOf(accountId),
    }));
    return reply(200, { results, accounts_tried: tried.length, is_every_account: salts.length <= ACCOUNTS });
  },
});

const UNSET = 'There is no ALERT_WEBHOOK_URL: set this secret first';
const TEST = { test: true, firing: {}, resolved: [], text: 'This is a test of the alerts. Nothing is wrong.' };

export const testAlerts = operation({
  route: 'POST /admin/alerts/test',
  scope: 'operator:operate',
  answers: { 200: AlertTested },
  handler: async (service, { reply }) => {
    const begunAt = service.now();
    const { alertUrl } = service.settings;
    const { status, error } =
      alertUrl === null ? { status: null, error: UNSET } : await postAlert(service, alertUrl, TEST);
    const duration_ms = service.now() - begunAt;
    if (error === null) {
      const notes = await readAlertNotes(service.database);
      await saveAlertNotes(service.database, { ...notes, lastSent: service.now(), lastError: null });
    }
    return reply(200, { delivered: error === null, http_status: status, error, duration_ms });
  },
});

export const checkFaceit = operation({
  route: 'POST /admin/checks/faceit',
  scope: 'operator:operate',
  answers: { 200: FaceitCheck },
  handler: async ({ settings }, { reply }) => reply(200, await tryFaceit(settings)),
});

export const words = (): Words => ({
  getOverview: {
    summary: 'Read the overview',
    command: 'overview',
    description: 'Returns the state of queue, hosts, failures and storage. The cost does not grow with the queue.',
    answers: { 200: answer('The overview of the service.', OVERVIEW) },
  },
  watchOverview: {
    summary: 'Follow the overview',
    description: 'Sends one event. Then the stream ends and asks its reader to connect again in five seconds.',
    answers: { 200: { description: 'The overview of today.', content: { eventSchema: Overview, events: [OVERVIEW] } } },
  },
  searchAll: {
    summary: 'Search for anything',
    command: 'search <q>',
    description:
      "Searches by the id of a job, a clip, an account or a host; by the address of a clip's page; by an idempotency key; or by a part of the name of an account or a host.",
    answers: {
      200: answer('The objects that were found.', {
        results: [
          {
            kind: 'job',
            id: JOB_ID,
            name: DONE_JOB.status,
            job_id: JOB_ID,
            account_id: ACCOUNT_ID,
            account_name: 'Example',
          },
        ],
        accounts_tried: 12,
        is_every_account: true,
      }),
    },
  },
  checkFaceit: {
    summary: 'Check the access to FACEIT',
    command: 'checks faceit',
    description: 'Tries `FACEIT_API_KEY` at the Data API, and `FACEIT_DOWNLOADS_KEY` at the Downloads API.',
    answers: { 200: answer('The result of the check.', { state: 'works', detail: null }) },
  },
  testAlerts: {
    summary: 'Send a test alert',
    description:
      'Posts a test to `ALERT_WEBHOOK_URL` at once and returns what the receiver answered. It has `"test": true` and no alerts.',
    answers: {
      200: answer('The result of the test alert.', {
        delivered: true,
        http_status: 204,
        error: null,
        duration_ms: 84,
      }),
    },
  },
});
