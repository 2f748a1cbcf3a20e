import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { isIPv6, type Server } from 'node:net';
import { basename } from 'node:path';

export const LOOPBACK = '127.0.0.1';

/** Opens a server, by default on loopback, and returns its port; for 0 the system chooses one. */
export async function listenOn(server: Server, wanted = 0, address = LOOPBACK): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, address, resolve);
  });
  const given = server.address();
  if (given === null || typeof given === 'string') throw new Error('no port was given');
  return given.port;
}

/** Returns the URL at which this machine itself reaches a server. */
export function urlOf(address: string, port: number): string {
  const isAny = address === '0.0.0.0' || address === '::';
  return `http://${isAny ? LOOPBACK : isIPv6(address) ? `[${address}]` : address}:${port}`;
}

/**
 * Serves one file on loopback, so that the render host downloads it like any demo. If the port `wanted` is not free,
 * the system chooses one.
 */
export async function serveFile(path: string, wanted = 0): Promise<{ url: string; stop(): Promise<void> }> {
  const name = encodeURIComponent(basename(path));
  const server = createServer(async (request, response) => {
    if (request.url !== `/${name}`) return response.writeHead(404).end();
    const file = await stat(path).catch(() => null);
    if (file === null) return response.writeHead(500).end();
    response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': file.size });
    if (request.method === 'HEAD') return response.end();
    createReadStream(path)
      .on('error', () => response.destroy())
      .pipe(response);
  });
  const port = await listenOn(server, wanted).catch(() => listenOn(server));
  return {
    url: `http://127.0.0.1:${port}/${name}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
