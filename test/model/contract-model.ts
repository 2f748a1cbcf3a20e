import type { ErrorCode } from '#domain/failure/codes.ts';
import type { JobStatus } from '#domain/job/job.ts';
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
/** Deliveries of a run that may be open before a resend is refused. */
const MOST_OPEN = 20;

/** A job as its client sees it, and what it does beside that. */
export interface View {
  readonly status: JobStatus;
  readonly error_code: string | null;
  readonly clip_id: string | null;
  readonly finished_at: string | null;
  /** Deliveries of the present run. */
  readonly deliveries: number;
}

/** The answer to a call: `lost` if the object died during it. */
export type Answer = string | boolean | null;

interface ModelState {
  status: JobStatus | null;
  errorCode: ErrorCode | null;
  /** Counted attempts. */
  attempts: number;
  /** Builds of the game that refused the demo. */
  refused: string[];
  lease: { confirmed: boolean; heardAt: number } | null;
  failedAt: number;
  run: number;
  /** The last fence. */
  fence: number;
  /** Whether the stored request names an accepted domain. */
  acceptable: boolean;
  webhook: boolean;
  fallback: boolean;
  /** Whether this run may still fall back. */
  canFall: boolean;
  /** Deliveries of this run: its outcomes, and what was sent again. */
  deliveries: number;
  clip: 'ready' | 'deleted' | null;
  /** Whether the operator took it down. */
  removed: boolean;
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
    deliveries: 0,
    clip: null,
    removed: false,
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

  /** Applies a call with `open` deliveries. Returns the expected answer; undefined if several are right. */
  apply(happening: Happening, now: number, open = 0): Answer | undefined {
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
        if (!this.#holds(happening.stale)) return false;
        state.lease = { confirmed: true, heardAt: now };
        if (happening.phase === 'render') state.status = 'render';
        return true;
      case 'upload':
        return undefined;
      case 'complete':
        if (this.#holds(happening.stale)) return this.#complete();
        if (state.status !== 'done' || happening.stale) return false;
        // A report is repeated. After the files are deleted, that is the answer.
        return state.clip === 'ready' ? true : undefined;
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
        if (!state.removed) state.saved = happening.do === 'save';
        return true;
      case 'delete-clip':
        if (state.clip === null) return false;
        state.clip = 'deleted';
        return true;
      case 'take-down':
        if (state.clip === null) return false;
        state.clip = 'deleted';
        if (!state.removed && !finished) this.#finish('error', 'clip_removed');
        state.removed = true;
        return true;
      case 'expire-clip':
        if (state.clip === 'ready' && !state.saved) state.clip = 'deleted';
        return undefined;
      case 'resend':
        if (state.status === null) return null;
        if (!finished) return 'job_in_flight';
        if (!state.webhook) return 'no_webhook';
        if (open >= MOST_OPEN) return 'too_many';
        state.deliveries++;
        return 'sent';
      default:
        return undefined;
    }
  }

  /** Applies a granted claim. Returns what is wrong with it; null if nothing is. */
  granted(fence: number, now: number): string | null {
    const state = this.#state;
    if (state.status !== 'pending') return `a claim was granted in ${state.status}`;
    if (fence <= state.fence) return `fence ${fence} after ${state.fence}`;
    state.fence = fence;
    state.lease = { confirmed: false, heardAt: now };
    state.status = 'prefetch';
    state.attempts++;
    return null;
  }

  /** Applies an alarm, or a call of the cron. Where the contract allows a range, `seen` decides. */
  ring(now: number, seen: JobStatus | null): void {
    const run = this.#state;
    if (run.status === 'retrying') {
      const wait = (RETRY_WAITS_S[Math.max(0, run.attempts - 1)] ?? 0) * 1000;
      const waited = now - run.failedAt;
      if (waited >= wait * 1.1 || (waited >= wait * 0.9 && seen === 'pending')) this.#queue();
      return;
    }
    if (!run.lease) return;
    const silent = now - run.lease.heardAt;
    if (!run.lease.confirmed) {
      if (silent < CONFIRM_MS) return;
      run.attempts--;
      this.#queue();
    } else if (silent >= LEASE_MS || (silent >= LEASE_MS / 2 && seen !== 'prefetch' && seen !== 'render')) {
      this.#fail('cs2_unavailable', now);
    }
  }

  /** Returns how the client's view differs from the model; null if it does not. */
  differs(view: View | null): string | null {
    const { status, errorCode, deliveries } = this.#state;
    if (view === null || status === null) return view === null && status === null ? null : 'a job appeared or vanished';
    const expected = {
      status,
      error_code: errorCode,
      has_clip: status === 'done',
      finished: status === 'done' || status === 'error',
      deliveries,
    };
    const seen = {
      status: view.status,
      error_code: view.error_code,
      has_clip: view.clip_id !== null,
      finished: view.finished_at !== null,
      deliveries: view.deliveries,
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
    state.deliveries = 0;
    if (state.removed) this.#finish('error', 'clip_removed');
    else if (acceptable) this.#queue();
    else this.#finish('error', 'demo_url_rejected');
    return answer;
  }

  #queue(): void {
    Object.assign(this.#state, { status: 'pending', errorCode: null, lease: null });
  }

  #finish(status: 'done' | 'error', errorCode: ErrorCode | null): void {
    const state = this.#state;
    if (state.webhook) state.deliveries++;
    Object.assign(state, { status, errorCode, lease: null });
  }

  #complete(): true {
    const state = this.#state;
    this.#finish('done', null);
    state.clip = 'ready';
    state.done.push(state.run);
    return true;
  }

  /** Another build may play what one has refused, up to the fourth of them. */
  #refuse(build: string, now: number): void {
    const { refused } = this.#state;
    const isNew = !refused.includes(build) && refused.length < MOST_BUILDS - 1;
    if (!refused.includes(build)) refused.push(build);
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
