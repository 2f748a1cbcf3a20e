import type { Tier } from '../../domain/clip.ts';
import { formatSecret, type SecretKind, secretHint } from '../../domain/secret-key.ts';
import { sha256Hex, toHex } from '../../http/credentials.ts';
import { json, noContent } from '../../http/json.ts';
import { notFound } from '../../http/problem.ts';
import { readShape } from '../../http/read-body.ts';
import { AccountChanges, NewAccount, NewHost, NewKey } from '../../protocol/admin.ts';
import { isoTime } from '../../protocol/job-view.ts';
import {
  findAccount,
  findKeyKind,
  insertAccount,
  insertApiKey,
  listAccounts,
  listApiKeys,
  revokeApiKey,
  updateAccount,
} from '../../storage/accounts.ts';
import type { Database } from '../../storage/database.ts';
import { insertHost, listHosts, replaceHostToken, revokeHost } from '../../storage/hosts.ts';

/** `POST /admin/accounts`. */
export async function createAccount(db: Database, request: Request): Promise<Response> {
  const { name, provisioned_slots } = await readShape(request, NewAccount);
  const id = crypto.randomUUID();
  const idSalt = toHex(crypto.getRandomValues(new Uint8Array(32)).buffer);
  const createdAt = Date.now();
  await insertAccount(db, { id, name, idSalt, provisionedSlots: provisioned_slots, createdAt });
  return json(accountView({ id, name, slots: provisioned_slots, createdAt }), 201);
}

/** `GET /admin/accounts`. */
export async function getAccounts(db: Database): Promise<Response> {
  return json({ accounts: (await listAccounts(db)).map(accountView) });
}

/** `PATCH /admin/accounts/:id`: changed slots count from the account's next job on. */
export async function changeAccount(db: Database, accountId: string, request: Request): Promise<Response> {
  const { name, provisioned_slots } = await readShape(request, AccountChanges);
  const account = await findAccount(db, accountId);
  if (!account) throw notFound();
  const slots = provisioned_slots === undefined ? account.slots : provisioned_slots;
  const changed = { ...account, name: name ?? account.name, slots };
  await updateAccount(db, accountId, { name: changed.name, provisionedSlots: slots });
  return json(accountView(changed));
}

/** `POST /admin/accounts/:id/keys`: the only time that the key is shown. */
export async function createKey(db: Database, accountId: string, request: Request): Promise<Response> {
  const { kind } = await readShape(request, NewKey);
  if (!(await findAccount(db, accountId))) throw notFound();
  return issueKey(db, accountId, kind);
}

/** `POST /admin/accounts/:id/keys/:key/rotate`: a successor; the old key stays good until it is revoked. */
export async function rotateKey(db: Database, accountId: string, keyId: string): Promise<Response> {
  const kind = await findKeyKind(db, accountId, keyId);
  if (kind === null) throw notFound();
  return issueKey(db, accountId, kind);
}

async function issueKey(db: Database, accountId: string, kind: Tier): Promise<Response> {
  const { id, secret, sha256 } = await newSecret(kind);
  const createdAt = Date.now();
  await insertApiKey(db, { id, accountId, kind, sha256, hint: secretHint(secret), createdAt });
  return json({ key_id: id, kind, key: secret, created_at: isoTime(createdAt) }, 201);
}

/** `GET /admin/accounts/:id/keys`. */
export async function getKeys(db: Database, accountId: string): Promise<Response> {
  if (!(await findAccount(db, accountId))) throw notFound();
  const keys = await listApiKeys(db, accountId);
  return json({ keys: keys.map(({ id, kind, hint, ...times }) => ({ key_id: id, kind, hint, ...isoTimes(times) })) });
}

/** `DELETE /admin/accounts/:id/keys/:key`: refused everywhere within 30 seconds. */
export async function deleteKey(db: Database, accountId: string, keyId: string): Promise<Response> {
  if (!(await revokeApiKey(db, accountId, keyId, Date.now()))) throw notFound();
  return noContent();
}

/** `POST /admin/hosts`: the only time that the token is shown. */
export async function createHost(db: Database, request: Request): Promise<Response> {
  const { name } = await readShape(request, NewHost);
  const { id, secret, sha256 } = await newSecret('host');
  await insertHost(db, { id, name, tokenSha256: sha256, createdAt: Date.now() });
  return json({ host_id: id, name, token: secret }, 201);
}

/** `POST /admin/hosts/:id/rotate`: the host's old token is refused everywhere within 30 seconds. */
export async function rotateHost(db: Database, hostId: string): Promise<Response> {
  const { secret, sha256 } = await newSecret('host');
  const name = await replaceHostToken(db, hostId, sha256);
  if (name === null) throw notFound();
  return json({ host_id: hostId, name, token: secret });
}

/** `GET /admin/hosts`. */
export async function getHosts(db: Database): Promise<Response> {
  const hosts = await listHosts(db);
  return json({ hosts: hosts.map(({ id, name, ...times }) => ({ host_id: id, name, ...isoTimes(times) })) });
}

/** `DELETE /admin/hosts/:id`: its token is refused everywhere within 30 seconds. */
export async function deleteHost(db: Database, hostId: string): Promise<Response> {
  if (!(await revokeHost(db, hostId, Date.now()))) throw notFound();
  return noContent();
}

async function newSecret(kind: SecretKind): Promise<{ id: string; secret: string; sha256: string }> {
  const secret = formatSecret(kind, crypto.getRandomValues(new Uint8Array(64)));
  if (secret === null) return newSecret(kind);
  return { id: crypto.randomUUID(), secret, sha256: await sha256Hex(secret) };
}

function accountView(account: { id: string; name: string; slots: number | null; createdAt: number }) {
  const { id, name, slots, createdAt } = account;
  return { account_id: id, name, provisioned_slots: slots, created_at: isoTime(createdAt) };
}

function isoTimes(times: { createdAt: number; revokedAt: number | null }) {
  return {
    created_at: isoTime(times.createdAt),
    revoked_at: times.revokedAt === null ? null : isoTime(times.revokedAt),
  };
}
