import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOn } from '#stack/listen.ts';

/** What the server does with one request. */
export type Reply =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
  /** A stream of events in these pieces. `stays` keeps it open. */
  | { readonly events: readonly (string | Uint8Array)[]; readonly end: 'closes' | 'breaks' | 'stays' }
  /** Reads the request, and resets the connection. */
  | 'resets'
  /** Reads the request, and never answers. */
  | 'is silent'
  /** Announces more bytes than it sends. */
  | 'breaks off';

/** A request as it came. `body` is JSON where it is. */
export interface Request {
  readonly line: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** Answers each script of replies at an address of its own, and notes the requests. */
export async function startMisbehavingServer() {
  const scripts = new Map<string, { readonly replies: Reply[]; readonly requests: Request[] }>();
  const server = createServer(async (message, response) => {
    const [, name = '', rest = ''] = /^\/([^/]+)(\/.*)$/.exec(message.url ?? '') ?? [];
    const script = scripts.get(name);
    const bytes = await bytesOf(message);
    script?.requests.push({ line: `${message.method} ${rest}`, headers: message.headers, body: parsed(bytes) });
    const reply = script?.replies.shift() ?? { status: 418, body: 'no reply is left' };
    if (reply === 'is silent') return;
    if (reply === 'resets') message.socket.resetAndDestroy();
    else if (reply === 'breaks off') breakOff(response);
    else if ('events' in reply) await sendEvents(response, reply);
    else send(response, reply);
  });
  const port = await listenOn(server);
  return {
    /** Returns the address of a script, and the requests that came there. */
    play: (replies: (address: string) => readonly Reply[]): { address: string; requests: readonly Request[] } => {
      const name = `script-${scripts.size}`;
      const address = `http://127.0.0.1:${port}/${name}`;
      const script = { replies: [...replies(address)], requests: [] };
      scripts.set(name, script);
      return { address, requests: script.requests };
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return bytes.toString();
  }
}

function send(response: ServerResponse, { status, headers, body }: Extract<Reply, { status: number }>): void {
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  response.writeHead(status, { ...(body === undefined ? {} : { 'Content-Type': type }), ...headers });
  response.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
}

function breakOff(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
  // Ends without a reset, so that only the length shows it.
  response.write('{"id":', () => response.socket?.end());
}

async function sendEvents(response: ServerResponse, { events, end }: Extract<Reply, { events: unknown }>) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  for (const piece of events) await new Promise((sent) => response.write(piece, sent));
  if (end === 'closes') response.end();
  if (end === 'breaks') response.destroy();
}
