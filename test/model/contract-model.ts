import type { ErrorCode } from '#domain/error-codes.ts';
import type { JobStatus } from '#domain/job.ts';
import type { Happening } from './actions.ts';

/**
 * The numbers of the contract and of docs/reliability.md, repeated here: a model that imports them could not find a
 * wrong one.
 */
const RETRIED: readonly ErrorCode[] = ['download_timeout', 'download_error', 'cs2_unavailable', 'upload_error'];
const RETRY_WAITS_S = [15, 60, 300, 900, 1800];
const UNPLAYABLE: readonly ErrorCode[] = ['demo_incompatible', 'workshop_not_supported'];
const MOST_BUILDS = 4;
const LEASE_MS = 60_000;
const CONFIRM_MS = 5000;

/** A job as its client sees it. */
export interface View {
  readonly status: JobStatus;
  readonly error_code: string | null;
  readonly clip_id: string | null;
  readonly finished_at: string | null;
}

/** The answer to a call: `lost` if the object died during it. */
export type Answer = string | boolean | null;

interface ModelState {
  status: JobStatus | null;
  errorCode: ErrorCode | null;
  run: number;
  /** Counted attempts of this run. */
  attempts: number;
  /** Builds of the game that refused the demo in this run. */
  refused: string[];
  fence: number;
  lease: { confirmed: boolean; heardAt: number } | null;
  failedAt: number;
  /** Whether the stored request names an accepted domain. */
  acceptable: boolean;
  webhook: boolean;
  fallback: boolean;
  /** Whether this run may still fall back. */
  canFall: boolean;
  clip: 'ready' | 'deleted' | null;
  saved: boolean;
  /** Runs that ended `done`. */
  readonly done: number[];
}

/**
 * A model of a job by the contract, as a few plain fields. It shares no code with the service. Where the contract
 * allows a range (a wait with jitter, a lease between half a term and a whole one) it accepts all of the range.
 */
export class ContractModel {
  #state: ModelState = {
    status: null,
    errorCode: null,
    run: 0,
    attempts: 0,
    refused: [],
    fence: 0,
    lease: null,
    failedAt: 0,
    acceptable: true,
    webhook: false,
    fallback: false,
    canFall: false,
    clip: null,
    saved: false,
    done: [],
  };

  get state(): Readonly<ModelState> {
    return this.#state;
  }

  copy(): ContractModel {
    const copy = new ContractModel();
    copy.#state = structuredClone(this.#state);
    return copy;
  }

  /** Applies a call. Returns the expected answer; undefined if several are right. */
  apply(happening: Happening, now: number): Answer | undefined {
    const state = this.#state;
    const inFlight = state.status === 'pending' || state.lease !== null;
    const finished = state.status === 'done' || state.status === 'error';
    switch (happening.do) {
      case 'submit':
      case 'force':
        if (state.status === null) return this.#run(happening, 'created');
        return happening.do === 'force' && finished ? this.#run(happening, 'redone') : 'replayed';
      case 'resubmit':
        if (state.status === null) return null;
        if (inFlight) return 'job_in_flight';
        if (state.status === 'retrying') this.#queue();
        else this.#run(state, '');
        return 'queued';
      case 'cancel':
        if (state.status === null) return null;
        if (finished) return state.errorCode === 'canceled' ? 'canceled' : 'job_finished';
        this.#finish('error', 'canceled');
        return 'canceled';
      case 'claim':
        return undefined;
      case 'heartbeat':
        if (!this.#holds(happening.stale) || !state.lease) return false;
        state.lease = { confirmed: true, heardAt: now };
        if (happening.phase === 'render') state.status = 'render';
        return true;
      case 'upload':
        return undefined;
      case 'complete':
        // A repeated report gets the same answer; after the files are deleted, that is the answer.
        if (state.status === 'done' && !happening.stale) return state.clip === 'ready' ? true : undefined;
        if (!this.#holds(happening.stale)) return false;
        this.#finish('done', null);
        state.done.push(state.run);
        state.clip = 'ready';
        return true;
      case 'fail':
        if (!this.#holds(happening.stale)) return false;
        this.#fail(happening.code, now);
        return true;
      case 'refuse':
        if (!this.#holds(happening.stale)) return false;
        this.#refuse(happening.build, now);
        return true;
      case 'release':
        if (!this.#holds(happening.stale)) return false;
        state.attempts--;
        this.#queue();
        return true;
      case 'save':
      case 'unsave':
        if (state.clip === null) return false;
        state.saved = happening.do === 'save';
        return true;
      case 'delete-clip':
        if (state.clip === null) return false;
        state.clip = 'deleted';
        return true;
      case 'expire-clip':
        if (state.clip === 'ready' && !state.saved) state.clip = 'deleted';
        return undefined;
      case 'resend':
        if (state.status === null) return null;
        if (!finished) return 'job_in_flight';
        if (!state.webhook) return 'no_webhook';
        return undefined;
      default:
        return undefined;
    }
  }

  /** Applies a granted claim. Returns what is wrong with it; null if nothing is. */
  granted(fence: number, now: number): string | null {
    if (this.#state.status !== 'pending') return `a claim was granted in ${this.#state.status}`;
    if (fence <= this.#state.fence) return `fence ${fence} after ${this.#state.fence}`;
    this.#state.fence = fence;
    this.#state.lease = { confirmed: false, heardAt: now };
    this.#state.status = 'prefetch';
    this.#state.attempts++;
    return null;
  }

  /** Applies an alarm, or a call of the cron. Where the contract allows a range, `seen` decides. */
  ring(now: number, seen: JobStatus | null): void {
    const state = this.#state;
    if (state.status === 'retrying') {
      const wait = (RETRY_WAITS_S[Math.max(0, state.attempts - 1)] ?? 0) * 1000;
      const waited = now - state.failedAt;
      if (waited >= wait * 1.1 || (waited >= wait * 0.9 && seen === 'pending')) this.#queue();
      return;
    }
    if (!state.lease) return;
    const silent = now - state.lease.heardAt;
    if (!state.lease.confirmed) {
      if (silent < CONFIRM_MS) return;
      state.attempts--;
      this.#queue();
    } else if (silent >= LEASE_MS || (silent >= LEASE_MS / 2 && seen !== 'prefetch' && seen !== 'render')) {
      this.#fail('cs2_unavailable', now);
    }
  }

  /** Returns how the client's view differs from the model; null if it does not. */
  differs(view: View | null): string | null {
    const { status, errorCode } = this.#state;
    if (view === null || status === null) return view === null && status === null ? null : 'a job appeared or vanished';
    const expected = {
      status,
      error_code: errorCode,
      has_clip: status === 'done',
      finished: status === 'done' || status === 'error',
    };
    const seen = {
      status: view.status,
      error_code: view.error_code,
      has_clip: view.clip_id !== null,
      finished: view.finished_at !== null,
    };
    const [want, got] = [JSON.stringify(expected), JSON.stringify(seen)];
    return want === got ? null : `expected ${want}, the client sees ${got}`;
  }

  #holds(stale: boolean): boolean {
    return !stale && this.#state.lease !== null;
  }

  #run(
    { acceptable, webhook, fallback }: Pick<ModelState, 'acceptable' | 'webhook' | 'fallback'>,
    answer: string,
  ): string {
    const state = this.#state;
    state.run++;
    state.attempts = 0;
    state.refused = [];
    state.acceptable = acceptable;
    state.webhook = webhook;
    state.fallback = fallback;
    state.canFall = fallback;
    if (acceptable) this.#queue();
    else this.#finish('error', 'demo_url_rejected');
    return answer;
  }

  #queue(): void {
    Object.assign(this.#state, { status: 'pending', errorCode: null, lease: null });
  }

  #finish(status: 'done' | 'error', errorCode: ErrorCode | null): void {
    Object.assign(this.#state, { status, errorCode, lease: null });
  }

  /** Another build may play what one has refused, up to the fourth of them. */
  #refuse(build: string, now: number): void {
    const { refused } = this.#state;
    const isNew = !refused.includes(build) && refused.length < MOST_BUILDS - 1;
    refused.push(build);
    this.#fail('demo_incompatible', now, isNew);
  }

  #fail(code: ErrorCode, now: number, isRetried = RETRIED.includes(code)): void {
    const state = this.#state;
    const isLast = !isRetried || state.attempts > RETRY_WAITS_S.length;
    const falls = isLast && state.canFall && UNPLAYABLE.includes(code);
    // The radar has all retries.
    if (falls) Object.assign(state, { canFall: false, attempts: 0 });
    if (isLast && !falls) this.#finish('error', code);
    else Object.assign(state, { status: 'retrying', errorCode: code, lease: null, failedAt: now });
  }
}
