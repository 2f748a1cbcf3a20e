import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** One attempt of a webhook as it arrived. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Record<string, unknown>;
  readonly deliveryId: string;
  readonly attempt: number;
}

/** How to answer an attempt, told by its place in the order of arrival (from 0): a status, or in a way of one's own. */
export type Reply = (index: number, response: ServerResponse) => number | null;

/**
 * A webhook receiver on loopback, closed when the test ends; a concurrent test gives its own `onTestFinished`. It
 * answers 200 unless told otherwise.
 */
export async function createReceiver(
  reply: Reply = () => 200,
  whenFinished: typeof onTestFinished = onTestFinished,
  port = 0,
) {
  const arrivals: Arrival[] = [];
  const looking = new Set<() => void>();
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { method = '', url: path = '', headers } = request;
    arrivals.push({
      method,
      path,
      headers,
      text,
      body: text === '' ? {} : JSON.parse(text),
      deliveryId: String(headers['x-service-delivery-id']),
      attempt: Number(headers['x-service-attempt']),
    });
    const status = reply(arrivals.length - 1, response);
    if (status !== null) response.writeHead(status).end();
    for (const look of [...looking]) look();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  whenFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    /** Everything that has come so far. */
    arrivals: arrivals as readonly Arrival[],
    /** The arrival with this index, as soon as it has come. */
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
  };
}
