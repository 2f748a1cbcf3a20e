import * as z from 'zod';
import type { Wrangler } from './wrangler.ts';

const Credentials = z.union([z.object({ token: z.string() }), z.object({ key: z.string(), email: z.string() })]);
const Accounts = z.looseObject({ accounts: z.array(z.looseObject({ id: z.string() })) });

interface ApiFault {
  readonly code?: number | undefined;
  readonly message: string;
  readonly error_chain?: readonly ApiFault[] | undefined;
}
const ApiFault: z.ZodType<ApiFault> = z.looseObject({
  code: z.number().optional(),
  message: z.string(),
  get error_chain() {
    return z.array(ApiFault).optional();
  },
});
const Envelope = z.looseObject({ success: z.boolean(), errors: z.array(ApiFault).default([]), result: z.unknown() });

/** An answer of Cloudflare's API that is no success. `code` is the platform's number, null if there is none. */
export class CloudflareError extends Error {
  readonly status: number;
  readonly code: number | null;

  constructor(message: string, status: number, code: number | null) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export interface CallOptions {
  readonly body?: unknown;
  /** The jurisdiction of a bucket: each has its own names. */
  readonly jurisdiction?: string | undefined;
}

/** The logged-in account at Cloudflare, for what wrangler has no command for or decides by itself. */
export interface CloudflareAccount {
  readonly id: string;
  /** Returns the result of a request below the account. Rejects with a CloudflareError. */
  call<T>(shape: z.ZodType<T>, method: string, path: string, options?: CallOptions): Promise<T>;
  /** The same; null if it does not exist. */
  find<T>(shape: z.ZodType<T>, path: string, options?: CallOptions): Promise<T | null>;
}

/** Uses the login, and without CLOUDFLARE_ACCOUNT_ID the account, that wrangler would use. */
export async function openAccount(wrangler: Wrangler, accountId?: string): Promise<CloudflareAccount> {
  const { CLOUDFLARE_API_TOKEN: token } = process.env;
  const credentials = token ? { token } : Credentials.parse(JSON.parse(await wrangler.read('auth', 'token', '--json')));
  const login: Record<string, string> =
    'token' in credentials
      ? { Authorization: `Bearer ${credentials.token}` }
      : { 'X-Auth-Key': credentials.key, 'X-Auth-Email': credentials.email };
  const id = accountId ?? process.env.CLOUDFLARE_ACCOUNT_ID ?? (await onlyAccount(wrangler));
  const base = `${process.env.CLOUDFLARE_API_BASE_URL ?? 'https://api.cloudflare.com/client/v4'}/accounts/${id}`;

  async function call<T>(shape: z.ZodType<T>, method: string, path: string, options: CallOptions = {}): Promise<T> {
    const { body, jurisdiction } = options;
    const response = await fetch(base + path, {
      method,
      headers: {
        ...login,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(jurisdiction ? { 'cf-r2-jurisdiction': jurisdiction } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const { success, errors, result } = Envelope.parse(jsonOf(text) ?? { success: false });
    if (success) return shape.parse(result);
    const wait = response.headers.get('Retry-After');
    const reasons = errors.length > 0 ? errors.map(reasonsOf) : [`status ${response.status}`];
    if (wait !== null) reasons.push(`try again after ${wait} s`);
    throw new CloudflareError(`${method} ${path}: ${reasons.join('\n')}`, response.status, errors[0]?.code ?? null);
  }

  return {
    id,
    call,
    find: (shape, path, options) =>
      call(shape, 'GET', path, options).catch((error: unknown) => {
        if (error instanceof CloudflareError && error.status === 404) return null;
        throw error;
      }),
  };
}

async function onlyAccount(wrangler: Wrangler): Promise<string> {
  const { accounts } = Accounts.parse(JSON.parse(await wrangler.read('whoami', '--json')));
  const [account, other] = accounts;
  if (!account || other) throw new Error(`the login has ${accounts.length} accounts: set CLOUDFLARE_ACCOUNT_ID`);
  return account.id;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function reasonsOf({ code, message, error_chain: chain = [] }: ApiFault): string {
  return [`${message}${code ? ` [code: ${code}]` : ''}`, ...chain.map((fault) => `  ${reasonsOf(fault)}`)].join('\n');
}
