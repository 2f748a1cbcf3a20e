import type { AdminHandler } from './admin-handler.ts';
import { readOverview } from './overview.ts';

const AGAIN_MS = 5000;

/**
 * `GET /admin/events`: the overview as a server-sent event, once. The stream ends and has its reader come again in five
 * seconds: so nothing is held anywhere, and an operator who has gone costs nothing.
 */
export const watchOverview: AdminHandler<'databases' | 'dispatchers' | 'now'> = async (service) => {
  const overview = await readOverview(service, service.now(), 1);
  const body = `data: ${JSON.stringify(overview)}\n\nretry: ${AGAIN_MS}\n\n`;
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' } });
};
