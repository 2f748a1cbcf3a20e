import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import * as z from 'zod';
import type { AssetUse } from '#domain/clip/render-order.ts';
import { reasonOf } from '#domain/lib/text.ts';
import type { InspectedRequest } from '#protocol/demo/demos.ts';
import {
  type ClaimRequest,
  type CompleteRequest,
  type EndPollRequest,
  type FailRequest,
  GATEWAY_PREFIX,
  Grant,
  type HeartbeatRequest,
  HOST_STATE_HEADER,
  MAX_CLAIM_WAIT_S,
  MAX_DEMO_KEYS,
  type UploadBegin,
  UploadBegun,
  type UploadEnd,
  UploadedPart,
  type UploadPartQuery,
} from '#protocol/host/gateway.ts';
import type { HostCapabilities } from '#protocol/host/host-capabilities.ts';
import { CLOCK_TOLERANCE_S, clockText } from '#protocol/lib/signed-message.ts';
import type { FetchRequest } from '../pipeline/fetch-match.ts';
import { GatewayError, refusalOf, retryAfterMs, waitMs } from './gateway-error.ts';

/** Compares this machine's clock with the service's. */
export interface ClockCheck {
  /** Compares with the `Date` header of an answer that has just arrived. Ignores a missing or invalid one. */
  note(date: string | null): void;
  /** Returns by how many seconds this clock is ahead, negative if behind; undefined within a minute. */
  offS(): number | undefined;
}

/** Creates a check that logs when the difference changes by more than a minute. `now`: milliseconds since the epoch. */
export function createClockCheck(log: Logger, now: () => number): ClockCheck {
  let offS = 0;
  return {
    note(date) {
      const nowS = Math.round((now() - Date.parse(date ?? '')) / 1000);
      if (!(Math.abs(nowS - offS) > CLOCK_TOLERANCE_S)) return;
      offS = Math.abs(nowS) > CLOCK_TOLERANCE_S ? nowS : 0;
      if (offS === 0) log.info({}, "this machine's clock agrees with the service's again");
      else log.warn({ offS }, `this machine's clock is ${clockText(offS)} the service's: set it`);
    },
    offS: () => (offS === 0 ? undefined : offS),
  };
}

/** The lease that a report is made under. */
export interface LeaseRef {
  readonly jobId: string;
  readonly fence: number;
  /** Names the grant in the service's log. */
  readonly requestId?: string | undefined;
}

/** Returns the lease of a grant. */
export function leaseRefOf({ job_id, lease, request_id }: Grant): LeaseRef {
  return { jobId: job_id, fence: lease.fence, requestId: request_id };
}

/** The grant does not match this host's schema: the service is newer. `lease` is what could be read of it. */
export class UnreadableGrant extends Error {
  readonly lease: LeaseRef | null;

  constructor(body: unknown, { issues }: z.ZodError) {
    const where = issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
    super(`this host cannot read the grant, and may be older than the service: ${where.slice(0, 500)}`);
    const { data } = Granted.safeParse(body);
    this.lease = data ? { jobId: data.job_id, fence: data.lease.fence } : null;
  }
}

/** The part of a grant that is needed to hand it back. */
const Granted = z.object({ job_id: z.string(), lease: z.object({ fence: z.number() }) });

type Unfenced<T> = Omit<T, 'fence'>;

/** Each call rejects with a `GatewayError`. A claim may also reject with an `UnreadableGrant`. */
export interface GatewayClient {
  /**
   * Waits for work. Returns null when none came within the poll. When `drain` aborts, it ends the poll at the gateway
   * and waits for the answer, because a claim whose connection is cut would still take the next job. Returns a grant
   * that comes all the same. `onState` gets the reason why the host gets no work, or null when it may get some.
   */
  claim(
    capabilities: HostCapabilities,
    drain: AbortSignal,
    onState?: (state: string | null) => void,
  ): Promise<Grant | null>;
  heartbeat(lease: LeaseRef, beat: Unfenced<HeartbeatRequest>, signal?: AbortSignal): Promise<void>;
  /** Returns where the gateway has a demo, or redirects to it. */
  demoSource(lease: LeaseRef): NonNullable<FetchRequest['demoSource']>;
  /** Returns an asset of the job's order, or null when it was deleted. */
  fetchAsset(lease: LeaseRef, use: AssetUse, signal: AbortSignal): Promise<Uint8Array | null>;
  beginUpload(lease: LeaseRef, body: Unfenced<UploadBegin>, signal: AbortSignal): Promise<UploadBegun>;
  uploadPart(
    lease: LeaseRef,
    part: Unfenced<UploadPartQuery>,
    bytes: Uint8Array<ArrayBuffer>,
    signal: AbortSignal,
  ): Promise<UploadedPart>;
  endUpload(lease: LeaseRef, body: Unfenced<UploadEnd>, signal: AbortSignal): Promise<void>;
  complete(lease: LeaseRef, body: Unfenced<CompleteRequest>): Promise<void>;
  /** Reports what an inspection found in the demo. */
  inspected(lease: LeaseRef, body: Unfenced<InspectedRequest>): Promise<void>;
  fail(lease: LeaseRef, body: Unfenced<FailRequest>): Promise<void>;
  release(lease: LeaseRef): Promise<void>;
}

/** The most tries without a byte: eight seconds. A longer pause counts as too slow anyway. */
const DEMO_TRIES = 5;
const ANSWER_TIMEOUT_MS = 30_000;
/** 20 MiB at 175 kB/s. */
const ASSET_TIMEOUT_MS = 120_000;
const LEAVE_PATIENCE_MS = 5000;
/**
 * The request that ends a claim may arrive before the claim, or get lost. It is repeated until the claim is answered.
 */
const LEAVE_AGAIN_MS = 500;

export interface ClientOptions {
  /** How long a host that stops waits for the answer to a claim that it ended. */
  readonly leavePatienceMs?: number;
  /** Returns the keys of the cached demos, the latest first. */
  readonly keptDemos?: () => readonly string[];
  readonly clock?: ClockCheck;
}

/** Creates a client of the gateway's protocol (core/protocol/host/gateway.ts). */
export function createGatewayClient(
  baseUrl: string,
  token: string,
  { leavePatienceMs = LEAVE_PATIENCE_MS, keptDemos = () => [], clock }: ClientOptions = {},
): GatewayClient {
  function headersOf(requestId?: string): Record<string, string> {
    const authorization = { Authorization: `Bearer ${token}` };
    return requestId === undefined ? authorization : { ...authorization, 'X-Request-Id': requestId };
  }

  async function call(
    method: string,
    path: string,
    body: BodyInit | null,
    signal: AbortSignal,
    requestId?: string,
  ): Promise<Response> {
    const headers = headersOf(requestId);
    if (typeof body === 'string') headers['Content-Type'] = 'application/json';
    let response: Response;
    try {
      response = await fetch(`${baseUrl}${GATEWAY_PREFIX}${path}`, { method, headers, body, signal });
    } catch (error) {
      const reason = reasonOf(error);
      const isDated = /certificate (has expired|is not yet valid)/.test(reason);
      const clockHint = isDated ? `; this machine's clock says ${new Date().toISOString()}` : '';
      throw new GatewayError(null, `the gateway cannot be reached: ${reason}${clockHint}`);
    }
    clock?.note(response.headers.get('Date'));
    if (response.ok) return response;
    throw await refusalOf(response);
  }

  function report(lease: LeaseRef, kind: string, body: object, signal?: AbortSignal): Promise<Response> {
    const { jobId, fence, requestId } = lease;
    const timeout = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const until = signal ? AbortSignal.any([signal, timeout]) : timeout;
    return call('POST', `/jobs/${jobId}/${kind}`, JSON.stringify({ fence, ...body }), until, requestId);
  }

  async function tell(...told: Parameters<typeof report>): Promise<void> {
    await report(...told);
  }

  /** Resolves when `answered` aborts or the patience ends. */
  async function endPoll(poll_id: string, answered: AbortSignal): Promise<void> {
    const until = AbortSignal.any([answered, AbortSignal.timeout(leavePatienceMs)]);
    const body: EndPollRequest = { poll_id };
    while (!until.aborted) {
      await call('POST', '/claim/end', JSON.stringify(body), until).catch(() => {});
      await delay(LEAVE_AGAIN_MS, undefined, { signal: until }).catch(() => {});
    }
  }

  return {
    async claim(capabilities, drain, onState = () => {}) {
      if (drain.aborted) return null;
      const poll_id = randomUUID();
      const demo_keys = keptDemos().slice(0, MAX_DEMO_KEYS);
      const offS = clock?.offS();
      const able = offS === undefined ? capabilities : { ...capabilities, clock_off_s: offS };
      const body: ClaimRequest = { capabilities: able, wait_s: MAX_CLAIM_WAIT_S, poll_id, demo_keys };
      const answered = new AbortController();
      const left = new AbortController();
      const leave = () => void endPoll(poll_id, answered.signal).then(() => left.abort());
      const patience = AbortSignal.timeout(MAX_CLAIM_WAIT_S * 1000 + ANSWER_TIMEOUT_MS);
      drain.addEventListener('abort', leave, { once: true });
      try {
        const response = await call('POST', '/claim', JSON.stringify(body), AbortSignal.any([left.signal, patience]));
        onState(response.headers.get(HOST_STATE_HEADER));
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

    demoSource({ jobId, fence, requestId }) {
      const url = `${baseUrl}${GATEWAY_PREFIX}/jobs/${jobId}/demo?fence=${fence}`;
      return {
        url,
        headers: headersOf(requestId),
        async again(refusal, fruitless, signal) {
          const asked = retryAfterMs(refusal?.headers['retry-after']);
          const status = refusal?.statusCode ?? null;
          const error = new GatewayError(status, 'the demo did not come', null, null, asked);
          // A signed link may have expired; a new one helps, or nothing does.
          const most = status === 401 || status === 403 ? 1 : DEMO_TRIES;
          if (!error.isTransient || fruitless >= most) return false;
          await delay(waitMs(error, fruitless, Math.random()), undefined, { signal });
          return true;
        },
      };
    },

    async fetchAsset({ jobId, fence, requestId }, use, signal) {
      const until = AbortSignal.any([signal, AbortSignal.timeout(ASSET_TIMEOUT_MS)]);
      try {
        const response = await call('GET', `/jobs/${jobId}/assets/${use}?fence=${fence}`, null, until, requestId);
        return await response.bytes();
      } catch (error) {
        if (!(error instanceof GatewayError)) throw new GatewayError(null, `the asset broke off: ${reasonOf(error)}`);
        if (error.status === 404) return null;
        throw error;
      }
    },

    async beginUpload(lease, body, signal) {
      return UploadBegun.parse(await (await report(lease, 'uploads', body, signal)).json());
    },

    async uploadPart({ jobId, fence, requestId }, part, bytes, signal) {
      const fields = Object.entries({ fence, ...part }).map(([name, value]) => [name, String(value)]);
      const path = `/jobs/${jobId}/uploads/part?${new URLSearchParams(fields)}`;
      return UploadedPart.parse(await (await call('PUT', path, bytes, signal, requestId)).json());
    },

    heartbeat: (lease, beat, signal) => tell(lease, 'heartbeat', beat, signal),
    endUpload: (lease, body, signal) => tell(lease, 'uploads/complete', body, signal),
    complete: (lease, body) => tell(lease, 'complete', body),
    inspected: (lease, body) => tell(lease, 'inspected', body),
    fail: (lease, body) => tell(lease, 'fail', body),
    release: (lease) => tell(lease, 'release', {}),
  };
}
