import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    replayOrigin: string;
  }
}

/** What a replay host answers, by the last digit of the token in its path. */
export const REPLAY = {
  stored: 0,
  gone: 1,
  deleted: 2,
  moved: 3,
  cut: 4,
  short: 5,
  unsized: 6,
  page: 7,
  failing: 8,
  stalled: 9,
};

/** A path like Valve's. */
export const replayUrl = (answer: number, match = 3230642215713767580n) =>
  `http://replay131.valve.net/730/00${match}_017911802${answer}.dem.bz2`;

/** Bytes that begin like a bzip2 file. */
export const BZ2 = Uint8Array.from({ length: 300_000 }, (_, i) => ('BZh91AY'.charCodeAt(i) || i * 31) & 0xff);

/**
 * A stand-in for Valve's replay hosts: nginx without TLS, as http://replay131.valve.net answered in 2026. A replay that
 * was deleted is a 404 page. `file`: what it has.
 */
export async function startReplayHost(file: Uint8Array = BZ2) {
  const asked: string[] = [];
  const stalled = new Set<Socket>();
  const server = createServer(({ url = '', socket }, response) => {
    asked.push(url);
    if (url === '/stalled') return response.end(`${stalled.size}`);
    if (url === '/cut') {
      for (const each of stalled) each.destroy();
      return response.end();
    }
    const answer = Number(/(\d)\.dem\.bz2$/.exec(url)?.[1] ?? REPLAY.gone);
    const length = { 'Content-Length': file.length, 'Content-Type': 'application/octet-stream' };
    if (answer === REPLAY.stored) response.writeHead(200, length).end(file);
    else if (answer === REPLAY.gone) response.writeHead(404, { 'Content-Type': 'text/html' }).end('<html>404</html>');
    else if (answer === REPLAY.deleted) response.writeHead(410).end();
    else if (answer === REPLAY.moved) response.writeHead(302, { Location: url.replace(/3\./, '0.') }).end();
    else if (answer === REPLAY.stalled) {
      response.writeHead(200, length).write(file.subarray(0, 70_000));
      stalled.add(socket);
      socket.once('close', () => stalled.delete(socket));
    } else if (answer === REPLAY.cut)
      response.writeHead(200, length).write(file.subarray(0, 70_000), () => socket.destroy());
    else if (answer === REPLAY.short) {
      // Says less than it sends.
      socket.end(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n'), file.subarray(0, 400)]));
    } else if (answer === REPLAY.unsized) response.writeHead(200).end(file);
    else if (answer === REPLAY.page)
      response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': 18 }).end('<html>Sorry</html>');
    else response.writeHead(502).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { origin: `http://127.0.0.1:${address.port}`, asked, close };
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { origin, close } = await startReplayHost();
  project.provide('replayOrigin', origin);
  return close;
}
