import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';

const CLIENT = createRequire(import.meta.url).resolve('player.js');

/** The client of the player.js protocol in the page around a frame. */
export type PlayerJs = Record<string, (argument?: unknown) => unknown> & {
  on(event: string, listener: (value: unknown) => void): void;
  supports(kind: 'method' | 'event', names: string[]): boolean;
};

/** Serves another site: its page `/?src=…` embeds an address and controls it with the player.js client. */
export async function serveSite() {
  const client = await readFile(CLIENT, 'utf8');
  const server = createServer((request, response) => {
    const src = new URL(request.url ?? '/', 'http://site').searchParams.get('src') ?? '';
    response.setHeader('Content-Type', 'text/html').end(`<!doctype html><title>A site</title>
<iframe id="frame" src="${src.replaceAll('&', '&amp;')}" width="640" height="360" allow="autoplay; fullscreen"></iframe>
<script>${client}</script>
<script>const received = []; const player = new playerjs.Player('frame'); player.on('ready', (v) => received.push(['ready', v]));</script>`);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://localhost:${port}`, close: () => server.close() };
}
