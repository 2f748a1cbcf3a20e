import { type Assets, createAssets } from './assets.ts';
import { type ChangesOptions, followChanges, type JobChange } from './changes.ts';
import { type Clips, createClips } from './clips.ts';
import { createDemos, type Demos } from './demos.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { ACCOUNT, type CallOperation, createCall, OPERATOR } from './operations.ts';
import type { AccountOperations, OperatorOperations, Usage } from './shapes.ts';
import { createTransport, type RequestOptions, type TransportOptions } from './transport.ts';
import { createUploads, type Uploads } from './uploads.ts';
import { createWebhooks, type Webhooks } from './webhooks.ts';

interface ServiceOptions {
  /** Address of the service; without it, `TICKREEL_URL` of the environment. */
  readonly baseUrl?: string | undefined;
  /** How long one attempt of a call may take, in milliseconds: 60 s unless given. */
  readonly timeoutMs?: number | undefined;
  /** How often a call that met a passing trouble is made again: 4 times unless given. */
  readonly maxRetries?: number | undefined;
  /** Instead of the platform's own. */
  readonly fetch?: typeof fetch | undefined;
}

export interface TickreelOptions extends ServiceOptions {
  /** One of the account's API keys; without it, `TICKREEL_API_KEY` of the environment. */
  readonly apiKey?: string | undefined;
  /** What `webhooks.unwrap` checks with; without it, `TICKREEL_WEBHOOK_SECRET` of the environment. */
  readonly webhookSecret?: string | undefined;
}

/** A client of one account. */
export interface Tickreel {
  readonly clips: Clips;
  readonly jobs: Jobs;
  readonly demos: Demos;
  readonly uploads: Uploads;
  readonly assets: Assets;
  readonly webhooks: Webhooks;
  /** Every change of the account's jobs, from now on or after one that was seen; it does not end by itself. */
  events(options?: ChangesOptions): AsyncGenerator<JobChange>;
  /** What was rendered in a span of time. */
  usage(query?: AccountOperations['getUsage']['query'], options?: RequestOptions): Promise<Usage>;
  /** Any operation by its name in the service's reference, as it is. */
  readonly call: CallOperation<AccountOperations>;
}

/** Throws where the address or the key is missing. */
export function createTickreel(options: TickreelOptions = {}): Tickreel {
  const settings = settingsOf(options);
  const transport = createTransport({ ...settings, token: required('apiKey', options.apiKey, 'TICKREEL_API_KEY') });
  const publicTransport = createTransport({ ...settings, token: null });
  const call = createCall(transport, ACCOUNT);
  const jobs = createJobs(transport, call);
  return {
    clips: createClips(transport, publicTransport, call, jobs),
    jobs,
    demos: createDemos(call),
    uploads: createUploads(call),
    assets: createAssets(call),
    webhooks: createWebhooks(options.webhookSecret ?? environment('TICKREEL_WEBHOOK_SECRET')),
    events: (options) => followChanges(transport, options),
    usage: (query, more) => call('getUsage', { query }, more),
    call,
  };
}

export interface OperatorOptions extends ServiceOptions {
  /** The operator's token; without it, `TICKREEL_ADMIN_TOKEN` of the environment. */
  readonly adminToken?: string | undefined;
}

/** What the operator of a service does, by the names in the service's reference: `call('listHosts')`. */
export interface TickreelOperator {
  readonly call: CallOperation<OperatorOperations>;
}

/** Throws where the address or the token is missing. */
export function createTickreelOperator(options: OperatorOptions = {}): TickreelOperator {
  const token = required('adminToken', options.adminToken, 'TICKREEL_ADMIN_TOKEN');
  return { call: createCall(createTransport({ ...settingsOf(options), token }), OPERATOR) };
}

function settingsOf(options: ServiceOptions): Omit<TransportOptions, 'token'> {
  return {
    baseUrl: required('baseUrl', options.baseUrl, 'TICKREEL_URL').replace(/\/+$/, ''),
    timeoutMs: options.timeoutMs ?? 60_000,
    maxRetries: options.maxRetries ?? 4,
    // A platform's `fetch` wants to be called as nobody's method.
    fetch: options.fetch ?? ((...request) => fetch(...request)),
  };
}

function required(option: string, given: string | undefined, variable: string): string {
  const value = given ?? environment(variable);
  if (value) return value;
  throw new TypeError(`Give ${option}, or set ${variable} in the environment.`);
}

/** There is none in browsers and, unless asked for, in Workers. */
function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name];
}
