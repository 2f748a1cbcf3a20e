import { randomUUID } from 'node:crypto';
import {
  Agent,
  createServer,
  type IncomingMessage,
  type RequestOptions,
  request as requestTo,
  type Server,
  type ServerResponse,
} from 'node:http';
import { BlockList, isIP, Socket } from 'node:net';
import { isUuid } from '#domain/lib/ids.ts';
import { PROBLEMS, type ProblemKind, problemOf } from '#protocol/lib/problem.ts';

export interface FrontOptions {
  /** The path of the Unix socket on which the runtime serves the Worker. */
  readonly runtime: string;
  /** The service's own URL: the runtime gets its host as `Host`, whatever the client sent. */
  readonly baseUrl: string;
  /** The header that names a client's address; null if the service reads none. */
  readonly addressHeader: string | null;
  /** The addresses and networks of proxies whose `addressHeader` is trusted, separated by spaces. */
  readonly proxies: string;
}

const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 15_000,
  // None: the service ends a body that is slow, however long it is.
  requestTimeout: 0,
  connectionsCheckingInterval: 5000,
  // Proxies close an idle connection sooner (Caddy after two minutes), so none of them uses one that was just closed.
  keepAliveTimeout: 125_000,
  // TCP keep-alive finds peers that vanished.
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
};
/** The runtime closes a connection that was idle for five seconds. */
const IDLE = { keepAlive: true, timeout: 4000 };
const MAX_CONNECTIONS = 10_000;
/** How long the rest of a request's body is read after its answer. */
const DRAIN_MS = 20_000;
/** Headers for one connection only (RFC 9110 7.6.1), `Expect`, which Node answers, and those of the runtime's tools. */
const NOT_PASSED_ON = /^(connection|keep-alive|te|trailer|upgrade|expect|proxy-.*|mf-.*)$/;
/** Headers that `Connection` may not have dropped. The runtime reads a body without its length as the next request. */
const KEPT = /(^|[\s,])(content-length|transfer-encoding|host)($|[\s,])/i;

/**
 * Creates the server between clients and the runtime; it does not listen yet. Bodies are streamed. If one side hangs
 * up, the other side's connection is closed too. A GET or HEAD may reuse a connection, and is retried once if the
 * runtime has just closed it. Any other request gets a new connection. Throws an Error if a proxy is not an address.
 */
export function createFront({ runtime, baseUrl, addressHeader, proxies }: FrontOptions): Server {
  const { host, origin } = new URL(baseUrl);
  const clientOf = addressReader(proxyList(proxies));
  const idle = new Agent(IDLE);
  const server = createServer(LIMITS, (request, response) => {
    const { url: path = '', method = '', headers: sent } = request;
    const sentId = sent['x-request-id'];
    const id = typeof sentId === 'string' && isUuid(sentId) ? sentId : randomUUID();
    const refuse = refusal(request, response, { id, origin });
    if (!path.startsWith('/')) return refuse('invalid_request', 'The request has to name a path.');
    if (isReserved(path)) return refuse('not_found', 'There is nothing at this address that you can see.');
    if (KEPT.test(sent.connection ?? '')) {
      return refuse('invalid_request', 'The header Connection may not name Content-Length, Transfer-Encoding or Host.');
    }
    const headers = ['Host', host, 'X-Request-Id', id];
    if (addressHeader !== null) headers.push(addressHeader, clientOf(request, addressHeader));
    headers.push(...passedOn(request, ['host', 'x-request-id', addressHeader?.toLowerCase()]));
    const isRead = method === 'GET' || method === 'HEAD';
    const hasBody = 'content-length' in sent || 'transfer-encoding' in sent;
    if (!hasBody && !isRead) headers.push('Content-Length', '0');

    const send = (to: RequestOptions) => {
      const forwarded = requestTo({ ...to, method, path, headers });
      // The response is closed when the client hangs up.
      response.once('close', () => forwarded.destroy());
      forwarded.once('response', (answer) => sendBack(answer, request, response, id));
      forwarded.on('error', ({ message }) => {
        if (response.headersSent || response.destroyed) return;
        if (forwarded.reusedSocket) return send(ownConnection);
        process.stderr.write(`the runtime did not answer ${method} ${path.split('?')[0]} (${id}): ${message}\n`);
        refuse('unavailable', 'The service does not answer.', { 'Retry-After': '2' });
      });
      if (hasBody) request.on('error', () => {}).pipe(forwarded);
      else forwarded.end();
    };
    const ownConnection = { createConnection: () => new RuntimeConnection().connect({ path: runtime }) };
    try {
      send(isRead && !hasBody ? { agent: idle, socketPath: runtime } : ownConnection);
    } catch (error) {
      // Node refuses to write this path or header.
      refuse('invalid_request', String(error));
    }
  });
  server.maxConnections = MAX_CONNECTIONS;
  return server.once('close', () => idle.destroy());
}

function sendBack(answer: IncomingMessage, request: IncomingMessage, response: ServerResponse, id: string): void {
  const passed = passedOn(answer, ['transfer-encoding']);
  if (!('x-request-id' in answer.headers)) passed.push('X-Request-Id', id);
  // Disables nginx's buffer for events.
  if (/^text\/event-stream/.test(answer.headers['content-type'] ?? '')) passed.push('X-Accel-Buffering', 'no');
  response.writeHead(answer.statusCode ?? 500, answer.statusMessage ?? '', passed);
  // A body of unknown length may begin much later.
  if (!('content-length' in answer.headers)) response.flushHeaders();
  answer.on('error', () => response.destroy()).pipe(response, { end: false });
  answer.once('end', () => endAfterBody(request, response));
}

/** Answers with a problem (RFC 9457), as the service does. */
function refusal(request: IncomingMessage, response: ServerResponse, { id, origin }: { id: string; origin: string }) {
  return (kind: ProblemKind, detail: string, headers: Record<string, string> = {}): void => {
    const body = JSON.stringify(problemOf(kind, detail, id, origin));
    const about = { 'Content-Type': 'application/problem+json', 'Content-Length': Buffer.byteLength(body) };
    response.writeHead(PROBLEMS[kind].status, {
      ...headers,
      ...about,
      'Cache-Control': 'no-store',
      'X-Request-Id': id,
    });
    response.write(body);
    endAfterBody(request, response);
  };
}

/**
 * Ends a response after the whole request was read. TCP resets a connection that is closed with unread bytes, and a
 * client that still sends may then lose the answer.
 */
function endAfterBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) {
    response.end();
    return;
  }
  const tooLong = setTimeout(() => response.end(() => request.destroy()), DRAIN_MS);
  response.once('close', () => clearTimeout(tooLong));
  request.unpipe().resume();
  request.once('end', () => response.end());
}

/**
 * Whether a path has a segment `cdn-cgi`, in any spelling. The runtime's development server answers there. Requests do
 * not pass through that server; this check is a second protection.
 */
function isReserved(url: string): boolean {
  let path = url.split('?')[0] ?? '';
  for (let before = ''; before !== path; ) {
    before = path;
    path = path.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
  return /[/\\]cdn-cgi($|[/\\?#;])/i.test(path);
}

/** Returns the headers to forward, spelled as they were sent. */
function passedOn({ rawHeaders, headers }: IncomingMessage, without: readonly (string | undefined)[]): string[] {
  const named = (headers.connection ?? '').toLowerCase().split(/[\s,]+/);
  return rawHeaders.flatMap((name, i) => {
    const key = name.toLowerCase();
    const isValue = i % 2 === 1;
    if (isValue || NOT_PASSED_ON.test(key) || named.includes(key) || without.includes(key)) return [];
    return [name, rawHeaders[i + 1] ?? ''];
  });
}

/** Reads the address of a client: the one that a known proxy names, or else the connection's. */
function addressReader(proxies: BlockList) {
  let hasWarned = false;
  return ({ socket, headers }: IncomingMessage, addressHeader: string): string => {
    const { remoteAddress = '', remoteFamily } = socket;
    const named = headers[addressHeader.toLowerCase()];
    if (typeof named !== 'string') return remoteAddress;
    const family = remoteFamily === 'IPv6' ? 'ipv6' : 'ipv4';
    if (isIP(remoteAddress) !== 0 && proxies.check(remoteAddress, family)) return named;
    if (!hasWarned) {
      process.stderr.write(
        `${remoteAddress} sends ${addressHeader} and is none of --proxies: it counts as one client\n`,
      );
      hasWarned = true;
    }
    return remoteAddress;
  };
}

function proxyList(text: string): BlockList {
  const list = new BlockList();
  for (const entry of text.split(/[\s,]+/).filter(Boolean)) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    try {
      if (bits === undefined) list.addAddress(address, family);
      else list.addSubnet(address, Number(bits), family);
    } catch {
      throw new Error(`the proxy ${entry} is neither an address nor a network such as 10.1.0.0/16`);
    }
  }
  return list;
}

type Done = (error?: Error | null) => void;

/**
 * A connection that stays open after a failed write. The runtime closes its side after it has answered, even while the
 * request's body is still being sent. Its answer can still be read then.
 */
class RuntimeConnection extends Socket {
  override _write(chunk: unknown, encoding: BufferEncoding, done: Done): void {
    super._write(chunk, encoding, () => done());
  }

  override _writev(chunks: { chunk: unknown; encoding: BufferEncoding }[], done: Done): void {
    super._writev?.(chunks, () => done());
  }
}
