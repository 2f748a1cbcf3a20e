import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HostMetrics } from './host-metrics.ts';

export interface MetricsServer {
  readonly port: number;
  close(): void;
}

/**
 * Serves `/metrics` (Prometheus) and `/healthz` (200, or 503 for a host that cannot reach the gateway). Rejects if the
 * port is taken.
 */
export async function serveMetrics(metrics: HostMetrics, port: number, address: string): Promise<MetricsServer> {
  const server = createServer(async (request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/metrics') {
      response.setHeader('Content-Type', 'text/plain; version=0.0.4; charset=utf-8').end(await metrics.text());
    } else if (path === '/healthz') {
      const health = metrics.health();
      const status = health.status === 'ok' ? 200 : 503;
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(`${JSON.stringify(health)}\n`);
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
