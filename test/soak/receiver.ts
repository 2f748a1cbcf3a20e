import { createServer } from 'node:http';
import { ATTEMPT_HEADER, DELIVERY_ID_HEADER, WebhookPayload } from '#protocol/webhook.ts';
import { listenOnLoopback } from '#stack/listen.ts';

export interface Received {
  readonly delivery: string;
  readonly attempt: number;
  readonly job: string;
  readonly event: WebhookPayload['event'];
  readonly errorCode: string | null;
  /** Whether it was answered with a 2xx. */
  readonly taken: boolean;
}

/** A real receiver of webhooks. It refuses as many as `refuses` says, so that deliveries are repeated. */
export async function startReceiver(refuses: () => boolean) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const { job_id, event, error_code } = WebhookPayload.parse(JSON.parse(body));
      const header = (name: string) => String(request.headers[name.toLowerCase()] ?? '');
      const taken = !refuses();
      received.push({
        delivery: header(DELIVERY_ID_HEADER),
        attempt: Number(header(ATTEMPT_HEADER)),
        job: job_id,
        event,
        errorCode: error_code,
        taken,
      });
      response.writeHead(taken ? 204 : 503).end();
    });
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received: received as readonly Received[],
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
