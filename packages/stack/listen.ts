import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { isIPv6, type Server } from 'node:net';
import { basename, join } from 'node:path';
import { type Request, Response } from 'miniflare';
import { PROJECT_ROOT } from './migrate.ts';

export const LOOPBACK = '127.0.0.1';

/** Opens a server and returns its port; for 0 the system chooses one. */
export async function listenOn(server: Server, wanted: number, address = LOOPBACK): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, address, resolve);
  });
  const given = server.address();
  if (given === null || typeof given === 'string') throw new Error('no port was given');
  return given.port;
}

/** Opens a server on loopback and returns its port; by default the system chooses one. */
export function listenOnLoopback(server: Server, wanted = 0): Promise<number> {
  return listenOn(server, wanted);
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

/** The folder of static files, as in wrangler.toml. */
export const STATIC_FOLDER = 'src/static';

/**
 * Answers the Worker's reads of static files. With its own static assets, Miniflare would put two more Workers before
 * every request, which halves the answers a second (miniflare 4.20260730.0, `rpc-proxy` and `router`).
 */
export async function serveStatic(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const content = await readFile(join(PROJECT_ROOT, STATIC_FOLDER, pathname)).catch(() => null);
  if (content === null) return new Response(null, { status: 404 });
  const etag = `"${createHash('sha256').update(content).digest('hex')}"`;
  const isKnown = request.headers.get('If-None-Match')?.includes(etag);
  return new Response(isKnown ? null : content, { status: isKnown ? 304 : 200, headers: { ETag: etag } });
}
