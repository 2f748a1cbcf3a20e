import { isIPv6, type Server } from 'node:net';

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
