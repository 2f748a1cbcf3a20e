import { accountEvents, type EventOptions, type JobChange } from './account-events.ts';
import { type Assets, createAssets } from './assets.ts';
import { type Clips, createClips } from './clips.ts';
import { createDemos, type Demos } from './demos.ts';
import { environment } from './environment.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { createKeys, type Keys } from './keys.ts';
import { type CallOperation, createCall } from './operations.ts';
import { createRules, type Rules } from './rules.ts';
import { type AccountOperations, API_ROUTES, type Usage, type Viewing, type ViewingChanges } from './shapes.ts';
import { createTransport, type RequestOptions, type TransportOptions } from './transport.ts';
import { createUploads, type Uploads } from './uploads.ts';
import { type AccountWebhooks, createAccountWebhooks } from './webhooks.ts';

export interface ServiceOptions {
  /** Address of the service; default `TICKREEL_URL` of the environment. */
  readonly baseUrl?: string | undefined;
  /** The timeout of one attempt in milliseconds; default 60 s. */
  readonly timeoutMs?: number | undefined;
  /** How often a call is retried after a transient error; default 4. */
  readonly maxRetries?: number | undefined;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

export interface TickreelOptions extends ServiceOptions {
  /** One of the account's API keys; default `TICKREEL_API_KEY` of the environment. */
  readonly apiKey?: string | undefined;
  /** The secret of `webhooks.unwrap`; default `TICKREEL_WEBHOOK_SECRET` of the environment. */
  readonly webhookSecret?: string | undefined;
}

/** A client of one account. */
export interface Tickreel {
  readonly clips: Clips;
  readonly jobs: Jobs;
  readonly demos: Demos;
  readonly uploads: Uploads;
  readonly rules: Rules;
  readonly assets: Assets;
  readonly webhooks: AccountWebhooks;
  readonly keys: Keys;
  /** How the account's clips are shown: who may embed them, and what their pages show. */
  readonly viewing: {
    get(options?: RequestOptions): Promise<Viewing>;
    /** Changes the given fields only. */
    change(changes: ViewingChanges, options?: RequestOptions): Promise<Viewing>;
  };
  /** Yields each change of each job of the account. */
  events(options?: EventOptions): AsyncGenerator<JobChange>;
  /** Returns what was rendered in a span of time. */
  usage(query?: AccountOperations['getUsage']['query'], options?: RequestOptions): Promise<Usage>;
  /** Calls any operation by its name in the service's reference. */
  readonly call: CallOperation<AccountOperations>;
}

/** Throws if the address is missing, or the key is missing or malformed. */
export function createTickreel(options: TickreelOptions = {}): Tickreel {
  const settings = settingsOf(options);
  const token = required('apiKey', options.apiKey, 'TICKREEL_API_KEY').trim();
  if (!/^[ -~]+$/.test(token)) throw new TypeError('apiKey has characters that no key has.');
  const transport = createTransport({ ...settings, token });
  const publicTransport = createTransport({ ...settings, token: null });
  const call = createCall<AccountOperations>(transport, API_ROUTES);
  const jobs = createJobs(transport, call);
  return {
    clips: createClips(transport, publicTransport, call, jobs),
    jobs,
    demos: createDemos(call),
    uploads: createUploads(call),
    rules: createRules(call),
    assets: createAssets(call),
    webhooks: createAccountWebhooks(call, options.webhookSecret),
    keys: createKeys(call),
    viewing: {
      get: (more) => call('getViewing', {}, more),
      change: (body, more) => call('changeViewing', { body }, more),
    },
    events: (more = {}) => accountEvents(transport, more),
    usage: (query, more) => call('getUsage', { query }, more),
    call,
  };
}

/** Returns the settings of both kinds of client. */
export function settingsOf(options: ServiceOptions): Omit<TransportOptions, 'token'> {
  return {
    baseUrl: required('baseUrl', options.baseUrl, 'TICKREEL_URL').replace(/\/+$/, ''),
    timeoutMs: options.timeoutMs ?? 60_000,
    maxRetries: options.maxRetries ?? 4,
    // A platform's `fetch` must not be called as a method.
    fetch: options.fetch ?? ((...request) => fetch(...request)),
  };
}

export function required(option: string, given: string | undefined, variable: string): string {
  const value = given ?? environment(variable);
  if (value) return value;
  throw new TypeError(`Give ${option}, or set ${variable} in the environment.`);
}
