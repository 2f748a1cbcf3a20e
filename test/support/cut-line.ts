import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Forwards connections to a port of this machine, and asks `onBytes` of all that clients send whether to cut one. */
export async function startProxy(to: number, onBytes: (chunk: Buffer) => 'forward' | 'cut'): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(to, '127.0.0.1');
    const ends = [client, upstream];
    for (const socket of ends) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        for (const end of ends) end.destroy();
      });
    }
    upstream.pipe(client);
    client.on('data', (chunk) => {
      if (onBytes(chunk) === 'cut') return client.resetAndDestroy();
      if (!upstream.write(chunk)) client.pause();
    });
    upstream.on('drain', () => client.resume());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
