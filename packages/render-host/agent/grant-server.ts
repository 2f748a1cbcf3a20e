import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { canDo } from '#domain/host/need.ts';
import { Grant } from '#protocol/host/gateway.ts';
import { capabilityOf, type HostCapabilities } from '#protocol/host/host-capabilities.ts';
import { PUSH_ANSWERS } from '#protocol/host/push.ts';
import { clockText, isSigned } from '#protocol/lib/signed-message.ts';
import type { ClaimGate } from './claim-gate.ts';
import type { GatewayClient } from './gateway-client.ts';
import { parseJson } from './gateway-error.ts';

export interface GrantServerOptions {
  readonly port: number;
  /** The address to listen on; all addresses if undefined. */
  readonly address: string | undefined;
  /** The key that grants are signed with. */
  readonly secret: string;
  /** Once it aborts, no grant is taken. */
  readonly drain: AbortSignal;
  readonly log: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface GrantServer {
  readonly port: number;
  /** Waits until a grant is sent, instead of polling. */
  readonly claim: GatewayClient['claim'];
  /**
   * Always open. The agent asks its gates after its last job has ended, so a call of this gate marks the host as idle.
   */
  readonly gate: ClaimGate;
  close(): void;
}

/**
 * How long a new grant waits for the agent: a job that ends frees its slot at the gateway a moment before the host is
 * ready.
 */
const READY_WITHIN_MS = 3000;
/** How often the agent checks its gates: the disk, the build of the game. */
const LOOK_EVERY_MS = 60_000;
const MAX_BODY_BYTES = 256 * 1024;
const BUSY_RETRY_S = '5';
const AWAY_RETRY_S = '60';

interface Sent {
  readonly grant: Grant;
  /** Reports whether the agent has taken it. */
  readonly answer: (isTaken: boolean) => void;
}

/**
 * Listens for grants, for an agent that works on one at a time. Answers each at once: 202 if the agent takes it, 429
 * while it works, 503 while it drains or its gate is closed. Rejects when the port is taken.
 */
export async function serveGrants(options: GrantServerOptions): Promise<GrantServer> {
  const { secret, drain, log, now } = options;
  /** The waiting agent. */
  let agent: ((grant: Grant) => void) | null = null;
  /** The capabilities of the agent when it last waited. */
  let able: HostCapabilities | null = null;
  /** Grants that came while the agent was not ready. */
  const early: Sent[] = [];
  let lastTaken: string | null = null;
  /** False without a waiting agent means that its gate is closed: a full disk, a game in quarantine. */
  let isAtWork = false;

  const idOf = ({ job_id, lease }: Grant) => `${job_id}.${lease.fence}`;

  const claim: GatewayClient['claim'] = (capabilities, stop) =>
    new Promise((resolve) => {
      able = capabilities;
      const end = (grant: Grant | null) => {
        clearTimeout(timer);
        stop.removeEventListener('abort', leave);
        agent = null;
        isAtWork = grant !== null;
        if (grant) lastTaken = idOf(grant);
        resolve(grant);
      };
      const leave = () => end(null);
      const timer = setTimeout(leave, LOOK_EVERY_MS);
      stop.addEventListener('abort', leave, { once: true });
      agent = end;
      if (stop.aborted) return leave();
      const first = early.shift();
      if (first) hand(first);
    });

  function hand({ grant, answer }: Sent): void {
    agent?.(grant);
    answer(true);
  }

  /** Resolves with whether the agent takes the grant, now or in a moment. Gives up when the connection closes. */
  function offer(grant: Grant, response: ServerResponse): Promise<boolean> {
    return new Promise((resolve) => {
      const sent: Sent = {
        grant,
        answer(isTaken) {
          clearTimeout(timer);
          const place = early.indexOf(sent);
          if (place >= 0) early.splice(place, 1);
          resolve(isTaken);
        },
      };
      const timer = setTimeout(() => sent.answer(false), READY_WITHIN_MS);
      response.once('close', () => sent.answer(false));
      if (agent) hand(sent);
      else early.push(sent);
    });
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refuse = (status: number, why: string) => {
      log.warn({ status, why }, 'a grant was refused');
      response.writeHead(status, { 'Content-Type': 'text/plain' }).end(`${why}\n`);
    };
    const later = (status: number, seconds: string) => response.writeHead(status, { 'Retry-After': seconds }).end();
    if (request.method !== 'POST') return refuse(405, 'grants come with POST');
    const body = await readBody(request);
    if (body === null) return refuse(413, 'the body is too large for a grant');
    const header = (name: string) => [request.headers[name]].flat()[0] ?? null;
    const at = now();
    if (!(await isSigned(secret, { header, body, now: at }))) {
      const sentAt = Number(header('webhook-timestamp')) * 1000;
      if (!(await isSigned(secret, { header, body, now: sentAt }))) return refuse(401, 'the signature is not good');
      const off = clockText(Math.round((at - sentAt) / 1000));
      return refuse(
        401,
        `this machine's clock is ${off} the time of the grant: set it, unless somebody repeats a grant`,
      );
    }
    const { data: grant, error } = Grant.safeParse(parseJson(body));
    if (error) return refuse(400, 'the grant cannot be read: this host may be older than the service');
    if (drain.aborted) return void later(PUSH_ANSWERS.away, AWAY_RETRY_S);
    // A proxy has sent it again.
    if (idOf(grant) === lastTaken) return void response.writeHead(PUSH_ANSWERS.taken).end();
    const { resolution, fps } = grant.order;
    const need = { resolution, fps, renderer: null, refusedBuilds: [] };
    if (able && !canDo(capabilityOf(able), need))
      return refuse(422, 'this host is registered with more than it can do');
    if (await offer(grant, response)) response.writeHead(PUSH_ANSWERS.taken).end();
    else if (isAtWork) later(PUSH_ANSWERS.full, BUSY_RETRY_S);
    else later(PUSH_ANSWERS.away, AWAY_RETRY_S);
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      log.warn({ err: error }, 'a grant broke off');
      response.destroy();
    });
  });
  server.requestTimeout = 10_000;
  await once(server.listen(options.port, options.address), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    claim,
    gate: {
      async open(capabilities) {
        isAtWork = false;
        return capabilities;
      },
      note: () => {},
    },
    close() {
      for (const { answer } of [...early]) answer(false);
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Returns null for a body that is too large. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
