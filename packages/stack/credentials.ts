import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { createTickreelOperator } from '#client/operator.ts';
import { readJsonFile, writeJson } from './data-lock.ts';

/** Accounts and keys of a stack. The second account is for trying out that accounts do not see each other. */
const Credentials = z.object({
  account_id: z.string(),
  metered_key: z.string(),
  reserved_key: z.string(),
  /** Absent in the folder of a version without test keys. */
  test_key: z.string().optional(),
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

export const secretsIn = (dataDir: string): string => join(dataDir, FILE);

/** Returns the secrets of the folder's service, which are made at its first start. */
export function loadSecrets(dataDir: string): Secrets {
  const stored = readJsonFile(secretsIn(dataDir), Secrets);
  if (stored !== null) return stored;
  const random = () => randomBytes(32).toString('base64url');
  const secrets = { admin_token: random(), clip_id_secret: random() };
  writeJson(secretsIn(dataDir), secrets);
  return secrets;
}

/**
 * Returns the folder's accounts, keys and host. Makes them through the admin API in a new folder, `isPublic` with one
 * account alone, and revokes the keys of the other one in a folder of experiments.
 */
export async function loadCredentials(
  dataDir: string,
  baseUrl: string,
  secrets: Secrets,
  isPublic = false,
): Promise<Credentials> {
  const stored = Credentials.safeParse(readJsonFile(secretsIn(dataDir), z.unknown()));
  const { call } = createTickreelOperator({ baseUrl, adminToken: secrets.admin_token, maxRetries: 0 });
  if (stored.success) {
    const { other_account_id: other, other_account_key: _, ...mine } = stored.data;
    if (!isPublic || other === undefined) return stored.data;
    // The folder was used to try things out.
    const { keys } = await call('listKeys', { params: { id: other } });
    for (const { key_id, revoked_at } of keys)
      if (revoked_at === null) await call('revokeKey', { params: { id: other, key: key_id } });
    writeJson(secretsIn(dataDir), mine);
    return mine;
  }
  const account = async (name: string) => (await call('createAccount', { body: { name } })).account_id;
  const key = async (id: string, kind: 'metered' | 'reserved' | 'test') =>
    (await call('createKey', { params: { id }, body: { kind } })).key;
  const accountId = await account('local');
  const other = async () => {
    const id = await account('other');
    return { other_account_id: id, other_account_key: await key(id, 'metered') };
  };
  const credentials: Credentials = {
    account_id: accountId,
    metered_key: await key(accountId, 'metered'),
    reserved_key: await key(accountId, 'reserved'),
    test_key: await key(accountId, 'test'),
    ...(isPublic ? {} : await other()),
    ...secrets,
    host_token: (await call('createHost', { body: { name: 'local' } })).token,
  };
  writeJson(secretsIn(dataDir), credentials);
  return credentials;
}
