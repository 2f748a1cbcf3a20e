import { setTimeout as delay } from 'node:timers/promises';
import { Problem, type ProblemKind } from '#protocol/lib/problem.ts';

/** The gateway refused, or did not answer. `status` is null without an answer. */
export class GatewayError extends Error {
  readonly status: number | null;
  readonly problem: string | null;
  /** The problem's text. */
  readonly detail: string | null;
  /** How long the gateway asks the host to wait; 0 if it does not say. */
  readonly retryAfterMs: number;

  /** `problem` is the kind of problem that the gateway named (core/protocol/lib/problem.ts). */
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

  /** Storage has no such upload or lacks a part of it. The file has to be uploaded again from its start. */
  get isUploadIncomplete(): boolean {
    return this.problem === ('upload_incomplete' satisfies ProblemKind);
  }

  /** The lease or its job is gone. The host drops the work and reports nothing more. */
  get isLeaseLost(): boolean {
    return this.status === 409 || this.status === 404;
  }

  /** A later try may succeed. 408 and 425 come from proxies on the way. */
  get isTransient(): boolean {
    if (this.status === null || [408, 425, 429].includes(this.status) || this.status >= 500) return true;
    // A firewall's page in front of the service, which itself never answers 403. It says nothing about this host's
    // token.
    return (this.status === 401 || this.status === 403) && !this.isHostRefused;
  }

  /** The service refuses this host: its token is unknown, or its version is too old. Another host may succeed. */
  get isHostRefused(): boolean {
    return this.problem === ('unauthorized' satisfies ProblemKind) || this.isOutdated;
  }

  /** The service only accepts newer versions of the host. */
  get isOutdated(): boolean {
    return this.problem === ('agent_outdated' satisfies ProblemKind);
  }

  /** The request is wrong, and would be wrong from any host at any time. */
  get isRequestRefused(): boolean {
    return !this.isTransient && !this.isLeaseLost && !this.isHostRefused;
  }
}

/** Returns the error of an answer that is not a success. */
export async function refusalOf(response: Response): Promise<GatewayError> {
  const text = await response.text().catch(() => '');
  const message = `the gateway answered ${response.status}: ${text.slice(0, 500)}`;
  const { data } = Problem.pick({ type: true, detail: true }).partial({ detail: true }).safeParse(parseJson(text));
  const [, kind = null] = data?.type.split('#') ?? [];
  const waitMs = retryAfterMs(response.headers.get('Retry-After'));
  return new GatewayError(response.status, message, kind, data?.detail ?? null, waitMs);
}

/** Parses `Retry-After` in seconds. Returns 0 for a date, so that the host's own backoff applies. */
export function retryAfterMs(header: string | null | undefined): number {
  const seconds = Number(header ?? 0);
  return seconds > 0 && Number.isFinite(seconds) ? seconds * 1000 : 0;
}

/** Returns null for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15_000;

/** Returns the wait before try number `tries + 1`: doubling, with full jitter. */
export function backoffMs(tries: number, random: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS) * (0.5 + random / 2);
}

/** A longer wait than this is taken for a mistake. */
const LONGEST_ASKED_MS = 60_000;

/** Returns the wait after a failure: what the gateway asks for, at least the usual wait. */
export function waitMs(error: unknown, tries: number, random: number): number {
  const asked = error instanceof GatewayError ? error.retryAfterMs : 0;
  return Math.max(backoffMs(tries, random), Math.min(asked, LONGEST_ASKED_MS));
}

/** Repeats a call to the gateway while its error is transient. Rejects with the last error. */
export async function withRetries<T>(call: () => Promise<T>, attempts: number, signal: AbortSignal): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await call();
    } catch (error) {
      const isTransient = error instanceof GatewayError && error.isTransient;
      if (!isTransient || tries + 1 >= attempts || signal.aborted) throw error;
      await delay(waitMs(error, tries, Math.random()), undefined, { signal });
    }
  }
}
