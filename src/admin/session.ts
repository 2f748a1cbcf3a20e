import type { Operator } from '../../domain/operator.ts';
import { createRecent } from '../../domain/recent.ts';
import { ProblemError } from '../../http/problem.ts';
import { hmacSha256, sha256Hex, toHex } from '../../platform/digest.ts';
import type { Service } from '../../service/service.ts';
import { findOperatorById } from '../../storage/operators.ts';

/** Chosen short: a session cannot be taken back one by one, only with its operator. */
const SESSION_MS = 60 * 60_000;
const NAME = 'tickreel_console';
/** As with tokens: somebody who is revoked is refused everywhere after this long. */
const BELIEVED_MS = 30_000;

export interface Sessions {
  /** The header that begins a session. `id`: null for the deployment's own token. */
  begin(id: string | null): Promise<string>;
  /** The header that ends it. */
  readonly end: string;
  /**
   * Whose session a request has: null for the deployment's own token, undefined where it has none that is good. Throws
   * a 403 problem for a change that another page asks for.
   */
  read(request: Request): Promise<string | null | undefined>;
  /** The operator of a session; null where there is none any more. */
  operator(id: string): Promise<Operator | null>;
}

/**
 * Sessions of the console, in a cookie that no script reads and no other site sends. It names the operator and its end,
 * signed under the deployment's secret and its token: whoever changes that token ends all sessions of it.
 */
export function createSessions({ settings, database, now }: Pick<Service, 'settings' | 'database' | 'now'>): Sessions {
  const believed = createRecent<{ readonly operator: Operator | null; readonly until: number }>(1000);
  const isSecure = settings.baseUrl.startsWith('https:');
  const flags = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;

  async function sign(id: string, until: number): Promise<string> {
    const secret = `${settings.clipIdSecret}:${await sha256Hex(settings.adminToken ?? '')}`;
    return toHex(await hmacSha256(secret)(`console ${id} ${until}`));
  }

  return {
    async begin(id) {
      const until = now() + SESSION_MS;
      const value = `${id ?? 'root'}.${until}.${await sign(id ?? 'root', until)}`;
      return `${NAME}=${value}; Max-Age=${SESSION_MS / 1000}; ${flags}`;
    },

    end: `${NAME}=; Max-Age=0; ${flags}`,

    async read({ headers, method, url }) {
      const [, id = '', end = '', signature] =
        new RegExp(`(?:^|; )${NAME}=([a-z0-9-]+)\\.(\\d+)\\.([0-9a-f]+)`).exec(headers.get('Cookie') ?? '') ?? [];
      const until = Number(end);
      if (signature === undefined || until <= now()) return undefined;
      if ((await sha256Hex(signature)) !== (await sha256Hex(await sign(id, until)))) return undefined;
      const isOwn = headers.get('Origin') === new URL(url).origin;
      if (method !== 'GET' && method !== 'HEAD' && !isOwn) {
        throw new ProblemError('forbidden', 'Only the console itself may change something with its session.');
      }
      return id === 'root' ? null : id;
    },

    async operator(id) {
      const known = believed.get(id);
      if (known && known.until > now()) return known.operator;
      const operator = await findOperatorById(database, id);
      believed.set(id, { operator, until: now() + BELIEVED_MS });
      return operator;
    },
  };
}
