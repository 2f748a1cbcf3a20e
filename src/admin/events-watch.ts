import { Overview } from '#protocol/operate.ts';
import { OVERVIEW } from '#protocol/operator-examples.ts';
import { operation, type Words } from '#service/operation.ts';
import { readOverview } from './overview.ts';

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

export const words = (): Words => ({
  watchOverview: {
    summary: 'Follow the overview',
    description: 'Sends one event. Then the stream ends and asks its reader to connect again in five seconds.',
    answers: { 200: { description: 'The overview of today.', content: { eventSchema: Overview, events: [OVERVIEW] } } },
  },
});
