import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { TestProject } from 'vitest/node';
import { startDiscord } from './discord.ts';

/** A request to the receiver. */
export interface Received {
  readonly headers: Record<string, string | string[] | undefined>;
  readonly method: string | undefined;
  readonly body: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    receiverUrl: string;
    discordUrl: string;
  }
}

/**
 * Runs a real HTTP server for webhooks. `POST /hook/<inbox>?answers=500,200` answers with these statuses in turn and
 * repeats the last one (`503:60` adds that `Retry-After`). `GET /inbox/<inbox>` returns all arrivals. `POST
 * /answers/<inbox>?answers=503` changes the answers. Instead of a status it can `reset`, `close`, `drip` or `hang`, or
 * send a 302 to `nowhere`.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const inboxes = new Map<string, Received[]>();
  const overridden = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://receiver');
    const [, kind, name = ''] = url.pathname.split('/');
    const inbox = inboxes.get(name) ?? [];
    inboxes.set(name, inbox);
    if (kind === 'inbox') {
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(inbox));
      return;
    }
    const asked = url.searchParams.get('answers');
    if (kind === 'answers') {
      overridden.set(name, asked ?? '200');
      response.end();
      return;
    }
    const answers = (overridden.get(name) ?? asked ?? '200').split(',');
    const answer = answers[Math.min(inbox.length, answers.length - 1)] ?? '200';
    inbox.push({ headers: request.headers, method: request.method, body: await readText(request) });
    if (answer === 'reset') request.socket.resetAndDestroy();
    else if (answer === 'close') request.socket.end();
    else if (answer === 'drip') drip(response);
    else if (answer === 'nowhere') response.writeHead(302).end();
    else if (answer !== 'hang') {
      const [status, retryAfter] = answer.split(':');
      if (answer.startsWith('3')) response.setHeader('Location', '/hook/elsewhere');
      if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
      response.writeHead(Number(status)).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  project.provide('receiverUrl', `http://127.0.0.1:${address.port}`);
  const discord = await startDiscord();
  project.provide('discordUrl', discord.origin);
  return async () => {
    discord.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
}

/** Answers with a success whose body never ends. */
function drip(response: ServerResponse): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write('.'), 100);
  response.once('close', () => clearInterval(timer));
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
