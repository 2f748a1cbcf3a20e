import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { basename } from 'node:path';
import { listenOnLoopback } from './listen.ts';

/**
 * Serves one file on loopback, so that the render host downloads it like any demo. If the port `wanted` is not free,
 * the system chooses one.
 */
export async function serveFile(path: string, wanted = 0): Promise<{ url: string; stop(): Promise<void> }> {
  const name = encodeURIComponent(basename(path));
  const server = createServer(async (request, response) => {
    if (request.url !== `/${name}`) {
      response.writeHead(404).end();
      return;
    }
    try {
      const { size } = await stat(path);
      response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': size });
    } catch {
      response.writeHead(500).end();
      return;
    }
    if (request.method === 'HEAD') response.end();
    else
      createReadStream(path)
        .on('error', () => response.destroy())
        .pipe(response);
  });
  const port = await listenOnLoopback(server, wanted).catch(() => listenOnLoopback(server));
  return {
    url: `http://127.0.0.1:${port}/${name}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
