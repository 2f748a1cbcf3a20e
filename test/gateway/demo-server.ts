import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '#stack/listen.ts';

/** `withheld`: not before it is released. `elsewhere`: redirects to a domain that is not accepted. */
export type DemoMode = 'served' | 'withheld' | 'missing' | 'elsewhere';

export interface DemoServer {
  readonly url: string;
  release(): void;
  /** The number of requests. */
  asked(): number;
  /** The number of requests to an address that hosts must not call. */
  trapped(): number;
  stop(): Promise<void>;
}

/** Serves a demo on loopback in the mode of a rule. */
export async function serveDemo(path: string, mode: DemoMode): Promise<DemoServer> {
  const demo = await readFile(path);
  let isWithheld = mode === 'withheld';
  let trapped = 0;
  let asked = 0;
  const waiting = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    asked++;
    if (request.url === '/trap') trapped++;
    if (mode === 'missing') response.writeHead(404).end();
    else if (mode === 'elsewhere' && request.url !== '/trap') {
      response.writeHead(302, { Location: `http://localhost:${port}/trap` }).end();
    } else if (isWithheld) waiting.add(response);
    else response.end(demo);
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}/match.dem`,
    release() {
      isWithheld = false;
      for (const response of waiting) response.end(demo);
      waiting.clear();
    },
    asked: () => asked,
    trapped: () => trapped,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
