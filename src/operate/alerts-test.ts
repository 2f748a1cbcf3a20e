import { AlertTested } from '#protocol/operate/operate.ts';
import { answer, operation, type Words } from '#service/lib/operation.ts';
import { postAlert } from '#service/operate/alerts.ts';
import { readAlertNotes, saveAlertNotes } from '#service/operate/vitals.ts';

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

export const words = (): Words => ({
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
