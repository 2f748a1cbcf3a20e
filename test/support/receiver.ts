import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { listenOn } from '#stack/listen.ts';

/** One attempt of a webhook as it arrived. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Record<string, unknown>;
  readonly deliveryId: string;
  readonly attempt: number;
  /** The status of the response; null if the reply wrote its own or none. */
  readonly status: number | null;
}

/** Whether the response to an attempt was a success. */
export const isTaken = ({ status }: Arrival): boolean => status !== null && status < 300;

/** Returns the status to respond with to the arrival at an index; or null, and handles the response itself. */
export type Reply = (index: number, response: ServerResponse) => number | null;

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Starts a receiver of webhooks on loopback. It responds with 200 by default. */
export async function startReceiver(reply: Reply = () => 200, wantedPort = 0) {
  const arrivals: Arrival[] = [];
  const looking = new Set<() => void>();
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { method = '', url: path = '', headers } = request;
    const status = reply(arrivals.length, response);
    arrivals.push({
      method,
      path,
      headers,
      text,
      body: text === '' ? {} : JSON.parse(text),
      deliveryId: String(headers['x-service-delivery-id']),
      attempt: Number(headers['x-service-attempt']),
      status,
    });
    if (status !== null) response.writeHead(status).end();
    for (const look of [...looking]) look();
  });
  const port = await listenOn(server, wantedPort);
  return {
    url: `http://127.0.0.1:${port}/hook`,
    /** All arrivals so far. */
    arrivals: arrivals as readonly Arrival[],
    /** Waits for the arrival with this index. */
    arrival(index: number): Promise<Arrival> {
      return new Promise((resolve) => {
        const look = () => {
          const arrival = arrivals[index];
          if (!arrival) return;
          looking.delete(look);
          resolve(arrival);
        };
        looking.add(look);
        look();
      });
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
