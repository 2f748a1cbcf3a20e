import type { Server } from 'node:net';

/** Opens a server on loopback and gives its port, which the system chooses unless told. */
export async function listenOnLoopback(server: Server, wanted = 0): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
