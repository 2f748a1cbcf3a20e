import { createServer, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { listenOnLoopback } from '../../local/listen.ts';
import { type Backend, CONNECT, type PeerName } from './backends.ts';

/**
 * The HTTP in front of a peer, in a process of its own: `POST /idle` and `POST /work` answer once the job is stored,
 * `POST /next` once one of the latter has reached its worker. Started by `peers.ts`; says `port` and its own.
 *
 *     node peer-shim.ts <peer> <folder with its packages> <port of its server, or two>
 */
const [name, folder = '', ...ports] = process.argv.slice(2);

const arrived: string[] = [];
const waiting: ServerResponse[] = [];

function arrive(job: string): void {
  const response = waiting.shift();
  if (response) answer(response, 200, job);
  else arrived.push(job);
}

function answer(response: ServerResponse, status: number, job: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify({ id: job }));
}

function serve(backend: Backend) {
  // Connections of the client stay open between the phases.
  return createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    request.resume().on('end', async () => {
      const job = arrived[0];
      if (request.url !== '/next') {
        const id = crypto.randomUUID();
        await backend.submit(id, request.url === '/work');
        answer(response, 201, id);
      } else if (job === undefined) waiting.push(response);
      else answer(response, 200, String(arrived.shift()));
    });
  });
}

const load = createRequire(join(folder, 'package.json'));
const backend = await CONNECT[name as PeerName](load, ports.map(Number), arrive);
process.stdout.write(`port ${await listenOnLoopback(serve(backend), 0)}\n`);
