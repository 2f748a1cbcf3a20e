import { Problem, type ProblemKind } from '#protocol/problem.ts';

/** The gateway refused or could not be reached. `status` is null when no answer came. */
export class GatewayError extends Error {
  readonly status: number | null;
  readonly problem: string | null;
  /** What it said of it. */
  readonly detail: string | null;
  /** How long the gateway asks to be left alone for; 0 where it does not say. */
  readonly retryAfterMs: number;

  /** `problem`: the kind of problem that the gateway named (core/protocol/problem.ts). */
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

/** What an answer that is no success says. */
export async function refusalOf(response: Response): Promise<GatewayError> {
  const text = await response.text().catch(() => '');
  const message = `the gateway answered ${response.status}: ${text.slice(0, 500)}`;
  const { kind, detail } = problemIn(text);
  return new GatewayError(response.status, message, kind, detail, retryAfterMs(response.headers.get('Retry-After')));
}

/** Of a service or of a proxy before it; one that gives a date instead of seconds is asked again in our own time. */
export function retryAfterMs(said: string | null | undefined): number {
  const seconds = Number(said ?? 0);
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
