import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { reasonOf } from '../../domain/reason.ts';
import {
  type ClaimRequest,
  type CompleteRequest,
  type EndPollRequest,
  type FailRequest,
  GATEWAY_PREFIX,
  Grant,
  type HeartbeatRequest,
  HOST_STATE_HEADER,
  type HostCapabilities,
  MAX_CLAIM_WAIT_S,
  MAX_DEMO_KEYS,
  type UploadBegin,
  UploadBegun,
  type UploadEnd,
  UploadedPart,
  type UploadPartQuery,
} from '../../protocol/gateway.ts';
import { Problem, type ProblemKind } from '../../protocol/problem.ts';

/** The gateway refused or could not be reached. `status` is null when no answer came. */
export class GatewayError extends Error {
  readonly status: number | null;
  readonly problem: string | null;
  /** What it said of it. */
  readonly detail: string | null;
  /** How long the gateway asks to be left alone for; 0 where it does not say. */
  readonly retryAfterMs: number;

  /** `problem`: the kind of problem that the gateway named (protocol/problem.ts). */
  constructor(
    status: number | null,
    message: string,
    problem: string | null = null,
    detail: string | null = null,
    retryAfterMs = 0,
  ) {
    super(message);
    this.status = status;
    this.problem = problem;
    this.detail = detail;
    this.retryAfterMs = retryAfterMs;
  }

  /** Storage does not know the upload, or lacks some of it: that file has to go up anew. */
  get isUploadIncomplete(): boolean {
    return this.problem === ('upload_incomplete' satisfies ProblemKind);
  }

  /** The lease is gone, or its job is: the host drops the work and says nothing more. */
  get isLeaseLost(): boolean {
    return this.status === 409 || this.status === 404;
  }

  /** The same request may go better later. 408 and 425 come from proxies on the way. */
  get isTransient(): boolean {
    if (this.status === null || [408, 425, 429].includes(this.status) || this.status >= 500) return true;
    // A page of a firewall in front of the service, which never answers 403: it says nothing of this host's token.
    return (this.status === 401 || this.status === 403) && !this.isHostRefused;
  }

  /** The service itself turns the host away: its token is none, or it is too old. Another host may do better. */
  get isHostRefused(): boolean {
    return this.problem === ('unauthorized' satisfies ProblemKind) || this.isOutdated;
  }

  /** The service works with newer versions of the host alone. */
  get isOutdated(): boolean {
    return this.problem === ('agent_outdated' satisfies ProblemKind);
  }

  /** The request is wrong, and would be as wrong from any host at any time. */
  get isRequestRefused(): boolean {
    return !this.isTransient && !this.isLeaseLost && !this.isHostRefused;
  }
}

/** Which lease a report is made under. */
export interface LeaseRef {
  readonly jobId: string;
  readonly fence: number;
  /** Names the grant in the service's log. */
  readonly requestId?: string | undefined;
}

/** The lease of a grant. */
export function leaseOf({ job_id, lease, request_id }: Grant): LeaseRef {
  return { jobId: job_id, fence: lease.fence, requestId: request_id };
}

/**
 * Work was granted in words that this host does not know: a newer service's. `lease` is what it could make out of it.
 */
export class UnreadableGrant extends Error {
  readonly lease: LeaseRef | null;

  constructor(body: unknown, { issues }: z.ZodError) {
    const where = issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
    super(`this host cannot read the grant, and may be older than the service: ${where.slice(0, 500)}`);
    const { data } = Granted.safeParse(body);
    this.lease = data ? { jobId: data.job_id, fence: data.lease.fence } : null;
  }
}

/** What it takes to hand back a grant, whatever else is in it. */
const Granted = z.object({ job_id: z.string(), lease: z.object({ fence: z.number() }) });

type Unfenced<T> = Omit<T, 'fence'>;

/** Every call rejects with a `GatewayError`, and a claim may with an `UnreadableGrant`. */
export interface GatewayClient {
  /**
   * Waits for work; null when none came within the poll. When `drain` aborts, the poll is ended at the gateway and its
   * answer awaited: a claim that is merely cut off would take the next job. A grant that comes all the same is
   * returned. `told` hears why there is none for now, null where the host may have some.
   */
  claim(
    capabilities: HostCapabilities,
    drain: AbortSignal,
    told?: (state: string | null) => void,
  ): Promise<Grant | null>;
  heartbeat(lease: LeaseRef, beat: Unfenced<HeartbeatRequest>, signal?: AbortSignal): Promise<void>;
  /** The image file that the job's order names as its watermark; null when it is gone. */
  fetchWatermark(lease: LeaseRef, signal: AbortSignal): Promise<Uint8Array | null>;
  beginUpload(lease: LeaseRef, body: Unfenced<UploadBegin>, signal: AbortSignal): Promise<string>;
  uploadPart(
    lease: LeaseRef,
    part: Unfenced<UploadPartQuery>,
    bytes: Uint8Array<ArrayBuffer>,
    signal: AbortSignal,
  ): Promise<UploadedPart>;
  endUpload(lease: LeaseRef, body: Unfenced<UploadEnd>, signal: AbortSignal): Promise<void>;
  complete(lease: LeaseRef, body: Unfenced<CompleteRequest>): Promise<void>;
  fail(lease: LeaseRef, body: Unfenced<FailRequest>): Promise<void>;
  release(lease: LeaseRef): Promise<void>;
}

const ANSWER_TIMEOUT_MS = 30_000;
const LEAVE_PATIENCE_MS = 5000;
/**
 * The request to end a claim may overtake the claim itself, or get lost: it is repeated until the claim is answered.
 */
const LEAVE_AGAIN_MS = 500;

export interface ClientOptions {
  /** How long a host that leaves waits for the answer to the claim that it ended. */
  readonly leavePatienceMs?: number;
  /** The keys of demos that the host has, the last one first. */
  readonly keptDemos?: () => readonly string[];
}

/** Speaks the gateway's protocol (protocol/gateway.ts). */
export function createGatewayClient(
  baseUrl: string,
  token: string,
  { leavePatienceMs = LEAVE_PATIENCE_MS, keptDemos = () => [] }: ClientOptions = {},
): GatewayClient {
  async function call(
    method: string,
    path: string,
    body: BodyInit | null,
    signal: AbortSignal,
    requestId?: string,
  ): Promise<Response> {
    const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
    if (requestId !== undefined) headers['X-Request-Id'] = requestId;
    if (typeof body === 'string') headers['Content-Type'] = 'application/json';
    let response: Response;
    try {
      response = await fetch(`${baseUrl}${GATEWAY_PREFIX}${path}`, { method, headers, body, signal });
    } catch (error) {
      throw new GatewayError(null, `the gateway cannot be reached: ${reasonOf(error)}`);
    }
    if (response.ok) return response;
    const text = await response.text().catch(() => '');
    const message = `the gateway answered ${response.status}: ${text.slice(0, 500)}`;
    const { kind, detail } = problemIn(text);
    throw new GatewayError(response.status, message, kind, detail, retryAfterMs(response.headers));
  }

  function report(lease: LeaseRef, kind: string, body: object, signal?: AbortSignal): Promise<Response> {
    const { jobId, fence, requestId } = lease;
    const timeout = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const until = signal ? AbortSignal.any([signal, timeout]) : timeout;
    return call('POST', `/jobs/${jobId}/${kind}`, JSON.stringify({ fence, ...body }), until, requestId);
  }

  /** Resolves when `answered` aborts, or when patience is at its end. */
  async function endPoll(poll_id: string, answered: AbortSignal): Promise<void> {
    const until = AbortSignal.any([answered, AbortSignal.timeout(leavePatienceMs)]);
    const body: EndPollRequest = { poll_id };
    while (!until.aborted) {
      await call('POST', '/claim/end', JSON.stringify(body), until).catch(() => {});
      await delay(LEAVE_AGAIN_MS, undefined, { signal: until }).catch(() => {});
    }
  }

  return {
    async claim(capabilities, drain, told = () => {}): Promise<Grant | null> {
      if (drain.aborted) return null;
      const poll_id = randomUUID();
      const demo_keys = keptDemos().slice(0, MAX_DEMO_KEYS);
      const body: ClaimRequest = { capabilities, wait_s: MAX_CLAIM_WAIT_S, poll_id, demo_keys };
      const answered = new AbortController();
      const left = new AbortController();
      const leave = () => void endPoll(poll_id, answered.signal).then(() => left.abort());
      const patience = AbortSignal.timeout(MAX_CLAIM_WAIT_S * 1000 + ANSWER_TIMEOUT_MS);
      drain.addEventListener('abort', leave, { once: true });
      try {
        const response = await call('POST', '/claim', JSON.stringify(body), AbortSignal.any([left.signal, patience]));
        told(response.headers.get(HOST_STATE_HEADER));
        if (response.status === 204) return null;
        const granted: unknown = await response.json();
        const { data, error } = Grant.safeParse(granted);
        if (error) throw new UnreadableGrant(granted, error);
        return data;
      } finally {
        drain.removeEventListener('abort', leave);
        answered.abort();
      }
    },

    async heartbeat(lease: LeaseRef, beat: Unfenced<HeartbeatRequest>, signal?: AbortSignal): Promise<void> {
      await report(lease, 'heartbeat', beat, signal);
    },

    async fetchWatermark({ jobId, fence, requestId }: LeaseRef, signal: AbortSignal): Promise<Uint8Array | null> {
      const until = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
      try {
        const response = await call('GET', `/jobs/${jobId}/watermark?fence=${fence}`, null, until, requestId);
        return await response.bytes();
      } catch (error) {
        if (!(error instanceof GatewayError)) throw new GatewayError(null, `the image broke off: ${reasonOf(error)}`);
        if (error.status === 404) return null;
        throw error;
      }
    },

    async beginUpload(lease: LeaseRef, body: Unfenced<UploadBegin>, signal: AbortSignal): Promise<string> {
      return UploadBegun.parse(await (await report(lease, 'uploads', body, signal)).json()).upload_id;
    },

    async uploadPart(
      { jobId, fence, requestId }: LeaseRef,
      part: Unfenced<UploadPartQuery>,
      bytes: Uint8Array<ArrayBuffer>,
      signal: AbortSignal,
    ): Promise<UploadedPart> {
      const fields = Object.entries({ fence, ...part }).map(([name, value]) => [name, String(value)]);
      const path = `/jobs/${jobId}/uploads/part?${new URLSearchParams(fields)}`;
      return UploadedPart.parse(await (await call('PUT', path, bytes, signal, requestId)).json());
    },

    async endUpload(lease: LeaseRef, body: Unfenced<UploadEnd>, signal: AbortSignal): Promise<void> {
      await report(lease, 'uploads/complete', body, signal);
    },

    async complete(lease: LeaseRef, body: Unfenced<CompleteRequest>): Promise<void> {
      await report(lease, 'complete', body);
    },

    async fail(lease: LeaseRef, body: Unfenced<FailRequest>): Promise<void> {
      await report(lease, 'fail', body);
    },

    async release(lease: LeaseRef): Promise<void> {
      await report(lease, 'release', {});
    },
  };
}

/** Of a service or of a proxy before it; one that gives a date instead of seconds is asked again in our own time. */
function retryAfterMs(headers: Headers): number {
  const seconds = Number(headers.get('Retry-After') ?? 0);
  return seconds > 0 && Number.isFinite(seconds) ? seconds * 1000 : 0;
}

/** The kind of problem that an answer's body names, and what it says of it; nulls where it is no problem document. */
function problemIn(text: string): { readonly kind: string | null; readonly detail: string | null } {
  const { data } = Problem.pick({ type: true, detail: true }).partial({ detail: true }).safeParse(parseJson(text));
  return { kind: data?.type.split('#')[1] ?? null, detail: data?.detail ?? null };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
