import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { reasonOf } from '#domain/lib/text.ts';
import { RegisteredHost } from '#protocol/host/gateway.ts';
import { Problem } from '#protocol/lib/problem.ts';
import { tokenFileOf } from './config/settings-file.ts';
import { takeLock } from './machine/work-dir.ts';

const Variables = z.object({
  TICKREEL_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }),
  TICKREEL_REGISTRATION_TOKEN: z
    .string({ error: 'must be a registration’s token' })
    .startsWith('tr_reg_', 'must be a registration’s token'),
});

const PATIENCE_MS = 30_000;

/** What is printed, and the exit status: 2 if another try would fail too. */
export interface Registration {
  readonly status: 0 | 1 | 2;
  readonly text: string;
}

/**
 * Registers this machine as a render host with a registration token, and stores the host's token in a file that only
 * this user can read. Does nothing on a registered machine, so that it can be called at each start.
 */
export async function register(environment: NodeJS.ProcessEnv, name: string): Promise<Registration> {
  const file = tokenFileOf(environment);
  const registered = { status: 0, text: `This machine is registered: ${file} has its token.` } as const;
  if (existsSync(file)) return registered;
  const { data, error } = Variables.safeParse(environment);
  if (error) return { status: 2, text: `The environment is wrong:\n${z.prettifyError(error)}` };
  // Creates the file first, because a token that cannot be stored would waste a use of the registration.
  const draft = `${file}.new`;
  let lock: ReturnType<typeof takeLock> = null;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    lock = takeLock(`${file}.lock`);
    if (lock === null) throw new Error('another process registers it just now');
    if (existsSync(file)) return registered;
    // An interrupted try left this file.
    await rm(draft, { force: true });
    const kept = await open(draft, 'wx', 0o600);
    try {
      const made = await ask(data.TICKREEL_URL.replace(/\/+$/, ''), data.TICKREEL_REGISTRATION_TOKEN, name);
      if (typeof made !== 'object') return { status: 2, text: `The service refuses the registration. ${made}` };
      await kept.writeFile(`${made.token}\n`);
      await kept.sync();
      await rename(draft, file);
      return { status: 0, text: `Registered as host ${made.host_id}; its token is in ${file}.` };
    } finally {
      await kept.close();
      await rm(draft, { force: true });
    }
  } catch (error) {
    return { status: 1, text: `This machine is not registered: ${reasonOf(error)}` };
  } finally {
    lock?.release();
  }
}

/** Returns the new host, or why the service refused. Rejects if another try may succeed. */
async function ask(url: string, token: string, name: string): Promise<RegisteredHost | string> {
  const response = await fetch(`${url}/gateway/v1/register`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: name.slice(0, 100) }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return RegisteredHost.parse(body);
  const { data: problem } = Problem.pick({ type: true, detail: true }).safeParse(body);
  // A page of a firewall says nothing about the registration.
  if (!problem || response.status === 429 || response.status >= 500) {
    throw new Error(`the service answered ${response.status}${problem ? `: ${problem.detail}` : ''}`);
  }
  return problem.detail;
}
