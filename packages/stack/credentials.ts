import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { OPERATOR_ROUTES } from '#client/operator-shapes.ts';
import { href } from '#protocol/routes.ts';

/** Accounts and keys of a stack. The second account is for trying out that accounts do not see each other. */
const Credentials = z.object({
  account_id: z.string(),
  metered_key: z.string(),
  reserved_key: z.string(),
  /** Absent if the stack serves others. */
  other_account_id: z.string().optional(),
  other_account_key: z.string().optional(),
  admin_token: z.string(),
  host_token: z.string(),
  clip_id_secret: z.string(),
});
export type Credentials = z.infer<typeof Credentials>;

const Secrets = Credentials.pick({ admin_token: true, clip_id_secret: true });
export type Secrets = z.infer<typeof Secrets>;

const FILE = 'credentials.json';

/** Returns the file of a folder's secrets. */
export const secretsIn = (dataDir: string): string => join(dataDir, FILE);

/** Returns the secrets of the folder's service, which are made at its first start. */
export async function loadSecrets(dataDir: string): Promise<Secrets> {
  const stored = await readStored(dataDir);
  if (stored !== null) return Secrets.parse(stored);
  const random = () => randomBytes(32).toString('base64url');
  const secrets = { admin_token: random(), clip_id_secret: random() };
  await store(dataDir, secrets);
  return secrets;
}

/**
 * Returns the folder's accounts, keys and host. Makes them through the admin API in a new folder, `isPublic` with one
 * account alone.
 */
export async function loadCredentials(
  dataDir: string,
  baseUrl: string,
  secrets: Secrets,
  isPublic = false,
): Promise<Credentials> {
  const stored = Credentials.safeParse(await readStored(dataDir));
  if (stored.success) return stored.data;
  const make = (path: string, body: object) => callAdmin(baseUrl, secrets.admin_token, path, body);
  const mine = await make(href(OPERATOR_ROUTES.createAccount), { name: 'local' });
  const key = async (accountId: string, kind: string) =>
    field(await make(href(OPERATOR_ROUTES.createKey, { id: accountId }), { kind }), 'key');
  const accountId = field(mine, 'account_id');
  const other = async () => {
    const id = field(await make(href(OPERATOR_ROUTES.createAccount), { name: 'other' }), 'account_id');
    return { other_account_id: id, other_account_key: await key(id, 'metered') };
  };
  const credentials: Credentials = {
    account_id: accountId,
    metered_key: await key(accountId, 'metered'),
    reserved_key: await key(accountId, 'reserved'),
    ...(isPublic ? {} : await other()),
    ...secrets,
    host_token: field(await make(href(OPERATOR_ROUTES.createHost), { name: 'local' }), 'token'),
  };
  await store(dataDir, credentials);
  return credentials;
}

async function callAdmin(baseUrl: string, adminToken: string, path: string, body: object): Promise<unknown> {
  const response = await fetch(baseUrl + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

function field(answer: unknown, name: string): string {
  return z
    .record(z.string(), z.unknown())
    .transform((record) => z.string().parse(record[name]))
    .parse(answer);
}

async function readStored(dataDir: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(secretsIn(dataDir), 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Writes a temporary file and renames it, so that a crash leaves the old file or the new one. Only the owner can read
 * it.
 */
async function store(dataDir: string, content: object): Promise<void> {
  const path = secretsIn(dataDir);
  await writeFile(`${path}.new`, JSON.stringify(content, null, 2), { mode: 0o600 });
  await rename(`${path}.new`, path);
}
