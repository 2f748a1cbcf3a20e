import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { CompleteRequest, Grant, UploadEnd, UploadPartQuery } from '#protocol/host/gateway.ts';
import { PROBLEMS, type ProblemKind } from '#protocol/lib/problem.ts';
import { listenOn } from '#stack/listen.ts';
import { createUploadStore, type HostRequest, type Kind, readRequest } from './host-request.ts';

/** How the gateway misbehaves. Unless stated otherwise, the request has no effect. */
export type Fault =
  /** Refuses with a problem of the service. */
  | { readonly problem: ProblemKind; readonly retryAfterS?: number }
  /** Answers with a page of a program in front of the service. */
  | { readonly page: number }
  /** Executes the request, and closes the connection instead of answering. */
  | 'unanswered'
  /** Closes the connection without reading. */
  | 'unseen'
  /** Gives the job to another host, and answers so. */
  | 'stolen';

/** The answer to a claim. After the last one, claims are held until they are ended. */
export type ClaimAnswer = 'none' | 'job' | Fault | { readonly holdS: number };

export interface Script {
  readonly claims: readonly ClaimAnswer[];
  /** `nth` counts the requests of a kind from 0. */
  readonly fault?: (kind: Kind, nth: number) => Fault | undefined;
  readonly order?: Partial<Grant['order']>;
  readonly lease?: Partial<Grant['lease']>;
  /** Further fields, as of a newer service. */
  readonly more?: object;
  readonly watermark?: Buffer;
  /** The file that is stored as the job's uploaded demo. */
  readonly uploaded?: string;
  /** Seconds that the clock of the host is ahead of the gateway's. */
  readonly clockOffS?: number;
  /** The keys of each grant, in order; none after the last one. */
  readonly demoKeys?: readonly string[];
  /** Answers a claim that its host ends with a job, which was granted just before. */
  readonly grantsOnLeave?: boolean;
}

export const TOKEN = 'tr_host_conformance';
/** Small, so that files have several parts. */
const PART_BYTES = 4000;
const CONFIRM_MS = 5000;
/** Requests that were in transit when the lease was lost may still arrive. */
export const IN_FLIGHT_MS = 2000;

interface Held {
  readonly fence: number;
  readonly requestId: string;
  readonly store: ReturnType<typeof createUploadStore>;
  calledAtMs: number;
  progress: number;
  state: 'granted' | 'held' | 'done' | 'lost';
  lostAtMs: number;
}

/**
 * Creates a gateway that grants one job by a script. Checks each request and answers like the real one, except where
 * the script makes it misbehave. `blame` is called with each fault of the host and the rule that it breaks.
 */
export async function createScriptedGateway(
  script: Script,
  order: Grant['order'],
  blame: (rule: string, detail: string) => void,
) {
  const jobId = randomUUID();
  const requests: (HostRequest & { readonly answer: number | 'cut' })[] = [];
  const counts = new Map<Kind, number>();
  const polls = new Map<string, ServerResponse>();
  const leases: Held[] = [];
  let claims = 0;
  let notify = () => {};

  const now = () => performance.now();
  function grant(): Grant {
    const lease = { ttl_s: 10, heartbeat_s: 0.25, ...script.lease, fence: leases.length + 1 };
    for (const earlier of leases) if (earlier.state !== 'done') lose(earlier);
    leases.push({
      fence: lease.fence,
      requestId: randomUUID(),
      store: createUploadStore(PART_BYTES, blame),
      calledAtMs: now(),
      progress: 0,
      state: 'granted',
      lostAtMs: 0,
    });
    return {
      job_id: jobId,
      order: { ...order, ...script.order },
      lease,
      part_bytes: PART_BYTES,
      optional_files: [],
      accepted_domains: ['127.0.0.1'],
      allow_private_addresses: true,
      own_origins: [],
      low_ports: [80, 443],
      request_id: leases.at(-1)?.requestId,
      demo_key: script.demoKeys?.[lease.fence - 1],
      ...script.more,
    };
  }
  function lose(lease: Held): void {
    lease.state = 'lost';
    lease.lostAtMs ||= now();
  }

  /** Answers, and records the answer. */
  function answer(
    request: HostRequest,
    response: ServerResponse,
    status: number | 'cut',
    body?: object | Buffer | string,
  ) {
    requests.push({ ...request, answer: status });
    if (status === 'cut') response.destroy();
    else {
      const isText = typeof body === 'string' || Buffer.isBuffer(body);
      const type = isText ? 'text/html' : status < 400 ? 'application/json' : 'application/problem+json';
      response.writeHead(status, { 'Content-Type': type });
      response.end(body === undefined ? undefined : isText ? body : JSON.stringify(body));
    }
    notify();
  }
  function refuse(
    request: HostRequest,
    response: ServerResponse,
    fault: Exclude<Fault, 'unanswered' | 'stolen'>,
  ): void {
    if (fault === 'unseen') answer(request, response, 'cut');
    else if ('page' in fault) answer(request, response, fault.page, '<h1>Access denied</h1>');
    else {
      const { status, title } = PROBLEMS[fault.problem];
      if (fault.retryAfterS !== undefined) response.setHeader('Retry-After', String(fault.retryAfterS));
      const type = `https://tickreel.example.com/docs/problems#${fault.problem}`;
      answer(request, response, status, { type, title, status, detail: title, request_id: randomUUID() });
    }
  }

  function claim(request: HostRequest, response: ServerResponse): void {
    const granted = script.demoKeys?.slice(0, leases.length) ?? [];
    const strange = (request.values.demo_keys as string[]).filter((key) => !granted.includes(key));
    if (strange.length > 0) blame('demo keys', `it says that it has ${strange.join(', ')}`);
    const next = script.claims[claims++];
    if (next === 'none') answer(request, response, 204);
    else if (next === 'job') answer(request, response, 200, grant());
    else if (next === 'unanswered') {
      grant();
      answer(request, response, 'cut');
    } else if (next === undefined) hold(request, response);
    else if (next === 'stolen') throw new Error('a claim cannot be stolen');
    else if (typeof next === 'object' && 'holdS' in next) {
      const timer = setTimeout(() => answer(request, response, 204), next.holdS * 1000);
      response.once('close', () => {
        clearTimeout(timer);
        if (!response.writableEnded) blame('patience', `it hung up before ${next.holdS} s were over`);
      });
    } else refuse(request, response, next);
  }
  function hold(request: HostRequest, response: ServerResponse): void {
    const { poll_id } = request.values;
    polls.set(String(poll_id ?? randomUUID()), response);
    response.once('close', () => {
      for (const [id, held] of polls) if (held === response) polls.delete(id);
    });
    notify();
  }

  /** Returns the answer to a request under a held lease; null if storage has no such upload. */
  function act(request: HostRequest, lease: Held): { status: number; body?: object | Buffer } | null {
    const { values } = request;
    switch (request.kind) {
      case 'heartbeat': {
        const progress = Number(values.progress);
        if (progress < lease.progress) blame('progress', `it went back from ${lease.progress} to ${progress}`);
        lease.progress = progress;
        lease.state = 'held';
        return { status: 204 };
      }
      case 'fetchDemo':
        return script.uploaded ? { status: 200, body: readFileSync(script.uploaded) } : { status: 404, body: {} };
      case 'fetchAsset':
        return script.watermark ? { status: 200, body: script.watermark } : { status: 404, body: {} };
      case 'beginUpload':
        return { status: 201, body: { upload_id: lease.store.begin(String(values.file)) } };
      case 'uploadPart': {
        const etag = lease.store.store(values as UploadPartQuery, request.body);
        return etag === null ? null : { status: 200, body: { part: values.part, etag } };
      }
      case 'endUpload': {
        const bytes = lease.store.end(values as UploadEnd);
        return bytes === null ? null : { status: 200, body: { bytes } };
      }
      case 'completeJob':
        if (lease.state !== 'done' && !lease.store.isComplete(values as CompleteRequest)) return null;
        lease.state = 'done';
        return { status: 204 };
      default:
        lease.state = 'done';
        return { status: 204 };
    }
  }

  function noteBeat(lease: Held): void {
    const silentMs = now() - lease.calledAtMs;
    lease.calledAtMs = now();
    const limitMs = lease.state === 'granted' ? CONFIRM_MS : (script.lease?.ttl_s ?? 10) * 1000;
    if (silentMs > limitMs) blame('heartbeats', `${(silentMs / 1000).toFixed(1)} s without one under a lease`);
  }

  function report(request: HostRequest, response: ServerResponse, fault: Fault | undefined): void {
    const lease = leases.find(({ fence }) => fence === request.values.fence);
    const isKnown = lease !== undefined && request.jobId === jobId;
    if (!isKnown) blame('fence', `${request.line} names a job or a fence that was never granted to it`);
    if (isKnown && request.headers['x-request-id'] !== lease.requestId) {
      blame('request id', `${request.line} does not carry the grant's request_id as X-Request-Id`);
    }
    if (isKnown && lease.state === 'granted' && !['heartbeat', 'releaseJob'].includes(String(request.kind))) {
      blame('confirmation', `${request.line} came before the first heartbeat`);
    }
    if (isKnown && request.kind === 'heartbeat') noteBeat(lease);
    if (fault === 'stolen' && isKnown) lose(lease);
    const isRepeated = isKnown && lease.state === 'done' && request.kind === 'completeJob';
    if (!isKnown || lease.state === 'lost' || (lease.state === 'done' && !isRepeated)) {
      const lateMs = isKnown && lease.state === 'lost' ? now() - lease.lostAtMs : 0;
      if (lateMs > IN_FLIGHT_MS) blame('lost lease', `${request.line} came long after the lease was lost`);
      refuse(request, response, { problem: 'stale_lease' });
    } else if (fault !== undefined && fault !== 'unanswered' && fault !== 'stolen') refuse(request, response, fault);
    else {
      const done = act(request, lease);
      if (fault === 'unanswered') answer(request, response, 'cut');
      else if (done === null) refuse(request, response, { problem: 'upload_incomplete' });
      else answer(request, response, done.status, done.body);
    }
  }

  function endPoll(request: HostRequest, response: ServerResponse): void {
    answer(request, response, 204);
    const poll = polls.get(String(request.values.poll_id));
    polls.delete(String(request.values.poll_id));
    if (!poll) return;
    if (script.grantsOnLeave) poll.end(JSON.stringify(grant()));
    else poll.writeHead(204).end();
  }

  const server = createServer(async (incoming, response) => {
    const { clockOffS } = script;
    if (clockOffS) response.setHeader('Date', new Date(Date.now() - clockOffS * 1000).toUTCString());
    const url = new URL(incoming.url ?? '/', 'http://gateway');
    const body = await readBody(incoming);
    const { request, fault: wrong } = readRequest(incoming.method ?? '', url, incoming.headers, body, now());
    const { kind } = request;
    if (incoming.headers.authorization !== `Bearer ${TOKEN}`) {
      blame('token', `${request.line} does not carry its token`);
      refuse(request, response, { problem: 'unauthorized' });
      return;
    }
    if (kind === null || wrong !== null) {
      blame('shape', wrong ?? request.line);
      refuse(request, response, { problem: kind === null ? 'not_found' : 'invalid_request' });
      return;
    }
    const nth = counts.get(kind) ?? 0;
    counts.set(kind, nth + 1);
    if (kind === 'claimJob') claim(request, response);
    else if (kind === 'endPoll') endPoll(request, response);
    else report(request, response, script.fault?.(kind, nth));
  });
  const port = await listenOn(server);
  return {
    url: `http://127.0.0.1:${port}`,
    grant,
    /** Records that a push host has taken its grant, which counts as the first heartbeat. */
    confirm() {
      const lease = leases.at(-1);
      if (lease?.state === 'granted') Object.assign(lease, { state: 'held', calledAtMs: now() });
    },
    of: (kind: Kind) => requests.filter((one) => one.kind === kind),
    /** The claims that are held now. */
    held: () => polls.size,
    leases: leases as readonly Held[],
    /** Called after each request. */
    onRequest(call: () => void) {
      notify = call;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
