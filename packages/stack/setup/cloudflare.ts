import * as z from 'zod';
import type { Wrangler } from './wrangler.ts';

const Login = z.object({ token: z.string() });
const Accounts = z.looseObject({ accounts: z.array(z.looseObject({ id: z.string() })) });

interface ApiFault {
  readonly code?: number | undefined;
  readonly message: string;
  readonly error_chain?: readonly ApiFault[] | undefined;
}
const ApiFault: z.ZodType<ApiFault> = z.looseObject({
  code: z.number().optional(),
  message: z.string(),
  error_chain: z.lazy(() => z.array(ApiFault)).optional(),
});
const Failure = z.looseObject({ success: z.literal(false), errors: z.array(ApiFault) });

class NotFound extends Error {}

export interface CallOptions {
  readonly body?: unknown;
  /** The jurisdiction of a bucket: each has its own names. */
  readonly jurisdiction?: string | undefined;
}

/** The Cloudflare account of the login. It is called where wrangler has no command, or would decide without asking. */
export interface CloudflareAccount {
  readonly id: string;
  /**
   * Sends a request to a path below the account and returns its result. Rejects with an Error that has the status and
   * all faults of the answer.
   */
  call<T>(shape: z.ZodType<T>, method: string, path: string, options?: CallOptions): Promise<T>;
  /** Like `call` with GET. Returns null if the answer is 404. */
  find<T>(shape: z.ZodType<T>, path: string, options?: CallOptions): Promise<T | null>;
}

/**
 * Opens the account that wrangler would use, with its login. Rejects with an Error if the login has several accounts
 * and CLOUDFLARE_ACCOUNT_ID names none.
 */
export async function openAccount(wrangler: Wrangler, accountId?: string): Promise<CloudflareAccount> {
  const { CLOUDFLARE_API_TOKEN, CLOUDFLARE_ACCOUNT_ID, CLOUDFLARE_API_BASE_URL } = process.env;
  const token = CLOUDFLARE_API_TOKEN ?? Login.parse(JSON.parse(await wrangler.read('auth', 'token', '--json'))).token;
  const id = accountId ?? CLOUDFLARE_ACCOUNT_ID ?? (await onlyAccount(wrangler));
  const base = `${CLOUDFLARE_API_BASE_URL ?? 'https://api.cloudflare.com/client/v4'}/accounts/${id}`;

  async function call<T>(shape: z.ZodType<T>, method: string, path: string, options: CallOptions = {}): Promise<T> {
    const { body, jurisdiction } = options;
    const headers = new Headers({ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' });
    if (jurisdiction) headers.set('cf-r2-jurisdiction', jurisdiction);
    const response = await fetch(base + path, { method, headers, body: JSON.stringify(body) ?? null });
    const text = await response.text();
    if (response.ok) return shape.parse(JSON.parse(text || '{}').result);
    const wait = response.headers.get('Retry-After');
    const reasons = [`${method} ${path} answered with ${response.status}`, ...faultsOf(text)];
    if (wait !== null) reasons.push(`try again after ${wait} s`);
    throw new (response.status === 404 ? NotFound : Error)(reasons.join('\n'));
  }

  return {
    id,
    call,
    find: (shape, path, options) =>
      call(shape, 'GET', path, options).catch((error: unknown) => {
        if (error instanceof NotFound) return null;
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

/** Returns the faults in the text of an API answer; none if the request succeeded or the text is no JSON object. */
export function faultsOf(text: string): string[] {
  if (!text.startsWith('{')) return [];
  return Failure.safeParse(JSON.parse(text)).data?.errors.map(reasonsOf) ?? [];
}

function reasonsOf({ code, message, error_chain: chain = [] }: ApiFault): string {
  return [`${message}${code ? ` [code: ${code}]` : ''}`, ...chain.map((fault) => `  ${reasonsOf(fault)}`)].join('\n');
}
