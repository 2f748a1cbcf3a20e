import { type Clips, createClips } from './clips.ts';
import { createDemos, type Demos } from './demos.ts';
import { accountEvents, type EventOptions, type JobChange } from './events.ts';
import { createJobs, type Jobs } from './follow.ts';
import { type CallOperation, createCall, createMethods, type Methods } from './operations.ts';
import {
  type AccountMethods,
  type AccountOperations,
  API_ROUTES,
  type Asset,
  type KeyOnce,
  type NewKey,
  type Rule,
  type RuleTrial,
} from './shapes.ts';
import { createTransport, environment, type RequestOptions, type TransportOptions } from './transport.ts';
import { createUploads, type Uploads } from './uploads.ts';
import { type AccountWebhooks, createWebhooks } from './webhooks.ts';

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

/** What is rendered and sent by itself when a demo arrives. */
export interface Rules extends Methods<AccountMethods['rules']> {
  /** Returns all rules, oldest first. */
  list(options?: RequestOptions): Promise<readonly Rule[]>;
  /** Returns the clips that the rule would make of an inspected demo. Makes none. */
  try(ruleId: string, demoUrl: string, options?: RequestOptions): Promise<RuleTrial>;
}

/** Watermarks, intros, outros and music. */
export interface Assets extends Methods<AccountMethods['assets']> {
  /** Uploads an image or music. `file.type` says what it is, such as `image/png` or `audio/mpeg`. */
  upload(file: Blob, query: AccountOperations['uploadAsset']['query'], options?: RequestOptions): Promise<Asset>;
}

export interface RevokeOptions extends RequestOptions {
  /** Keeps the keys that the revoked key has made. Without it, they are revoked too. */
  readonly keepMade?: boolean | undefined;
}

/** The account's API keys. Only a key of scope `manage` makes and revokes keys. */
export interface Keys extends Methods<AccountMethods['keys']> {
  /** Makes a key, which is returned only once. */
  create(key: NewKey, options?: RequestOptions): Promise<KeyOnce>;
  revoke(keyId: string, options?: RevokeOptions): Promise<void>;
}

/** A client of one account. */
export interface Tickreel extends Methods<AccountMethods> {
  readonly clips: Clips;
  readonly jobs: Jobs;
  readonly demos: Demos;
  readonly uploads: Uploads;
  readonly rules: Rules;
  readonly assets: Assets;
  readonly webhooks: AccountWebhooks;
  readonly keys: Keys;
  /** Yields each change of each job of the account. */
  events(options?: EventOptions): AsyncGenerator<JobChange>;
  /** Calls any operation by its name in the service's reference. */
  readonly call: CallOperation<AccountOperations>;
}

/** Throws if the address is missing, or the key is missing or malformed. */
export function createTickreel(options: TickreelOptions = {}): Tickreel {
  const settings = transportOptions(options);
  const token = required('apiKey', options.apiKey, 'TICKREEL_API_KEY').trim();
  if (!/^[ -~]+$/.test(token)) throw new TypeError('apiKey has characters that no key has.');
  const transport = createTransport({ ...settings, token });
  const publicTransport = createTransport({ ...settings, token: null });
  const call = createCall<AccountOperations>(transport, API_ROUTES);
  const methods = createMethods(call);
  const jobs = createJobs(transport, call, methods.jobs);
  return {
    ...methods,
    clips: createClips(transport, publicTransport, methods.clips, jobs),
    jobs,
    demos: createDemos(call, methods.demos),
    uploads: createUploads(call, methods.uploads),
    rules: {
      ...methods.rules,
      list: async (more) => (await call('listRules', {}, more)).rules,
      try: (id, demo_url, more) => call('tryRule', { params: { id }, body: { demo_url } }, more),
    },
    assets: {
      ...methods.assets,
      // Music has up to 20 MiB.
      upload: (body, query, more) => call('uploadAsset', { query, body }, { timeoutMs: 10 * 60_000, ...more }),
    },
    webhooks: { ...createWebhooks(options.webhookSecret), ...methods.webhooks },
    keys: {
      ...methods.keys,
      // A limit of keys does not end by waiting.
      create: (body, more) => call('createOwnKey', { body }, { maxRetries: 0, ...more }),
      revoke: (id, { keepMade, ...more } = {}) =>
        call('revokeOwnKey', { params: { id }, query: keepMade ? { keep_made: 'true' } : {} }, more),
    },
    events: (more = {}) => accountEvents(transport, more),
    call,
  };
}

/** Returns the settings of both kinds of client. */
export function transportOptions(options: ServiceOptions): Omit<TransportOptions, 'token'> {
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
