import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { reasonOf } from '#domain/reason.ts';
import { gameFailure } from '../game/failure.ts';

/** Where the plugin connects to (`CSDM_WS_PORT`, cs-demo-manager `main.cpp`). */
export interface PluginChannel {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Accepts the plugin's connection, and sends nothing: without one it logs each try, every two seconds.
 *
 * @throws {RecordingFailure} `cs2_unavailable` if this machine has no port for it.
 */
export async function listenForPlugin(): Promise<PluginChannel> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, maxPayload: 64 * 1024 });
  await once(server, 'listening').catch((error: unknown) => {
    throw gameFailure(`the plugin's connection cannot be received: ${reasonOf(error)}`);
  });
  server.on('connection', (socket) => socket.on('error', () => {}));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
