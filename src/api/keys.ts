import * as z from 'zod';
import { secretHint } from '#domain/account/secret-key.ts';
import { DAY_MS } from '#domain/job/metering.ts';
import { LIMITS } from '#domain/operate/limits.ts';
import { bearerToken, unauthorized } from '#http/credentials.ts';
import { invalidRequest, notFound } from '#http/problem.ts';
import { limitReached } from '#http/rate-limit.ts';
import { textRead } from '#http/read-body.ts';
import type { Context } from '#http/router.ts';
import { ApiKey, KeyList, KeyOnce, NewKey, RevokeQuery } from '#protocol/account/accounts.ts';
import { KEY, KEY_ID, LISTED_KEY, NEXT_KEY_ID } from '#protocol/examples/operator.ts';
import * as field from '#protocol/lib/fields.ts';
import { AdminListQuery, pageOf } from '#protocol/lib/lists.ts';
import { isoTime } from '#protocol/lib/shapes.ts';
import { keyView } from '#service/account/account-view.ts';
import { issueKey } from '#service/account/issue-key.ts';
import { answer, only, operation, type Words } from '#service/lib/operation.ts';
import type { Service } from '#service/lib/service.ts';
import { recordChange } from '#service/operate/audit.ts';
import {
  type Caller,
  countMadeKeys,
  findKeyTerms,
  type KeyTerms,
  revokeApiKey,
  selectApiKeys,
} from '#storage/account/accounts.ts';

/**
 * Returns the terms of the caller's key. Reads the database, because a cached caller may have been revoked up to 30
 * seconds ago: whoever has that key must not make or revoke keys. Throws a 401 problem then.
 */
async function requireLiveKey({ database, now }: Service, { accountId, keyId }: Caller): Promise<KeyTerms> {
  const terms = await findKeyTerms(database, accountId, keyId, now());
  if (terms === null) throw unauthorized('The key was revoked or has expired.');
  return terms;
}

/** Records in the audit log what a key did to a key. */
function recordKeyChange(
  service: Service,
  { caller, request, requestId }: Pick<Context<never, Caller>, 'caller' | 'request' | 'requestId'>,
  action: 'createOwnKey' | 'revokeOwnKey',
  target: Readonly<Record<string, string>>,
  status: number,
): Promise<void> {
  return recordChange(service, {
    operatorId: caller.keyId,
    operator: secretHint(bearerToken(request) ?? ''),
    action,
    status,
    requestId,
    target: { account_id: caller.accountId, ...target },
    changes: textRead(request),
  });
}

const OwnKey = ApiKey.extend({
  is_this: field.flag('Whether it is the key of this request.'),
}).meta({ id: 'OwnKey', description: 'An API key of your account, without its secret.' });
const OwnKeyList = KeyList.extend({ keys: z.array(OwnKey) }).meta({
  id: 'OwnKeyList',
  description: 'A page of your keys, the oldest first, the revoked ones too.',
});

export const listOwnKeys = operation({
  route: 'GET /api/keys',
  scope: 'account:read',
  query: AdminListQuery,
  answers: { 200: OwnKeyList },
  handler: async ({ database }, { caller, query, reply }) => {
    const { limit, cursor } = query();
    const { rows, next_cursor } = pageOf(await selectApiKeys(database, caller.accountId, cursor, limit), limit);
    return reply(200, {
      keys: rows.map((key) => ({ ...keyView(key), is_this: key.id === caller.keyId })),
      next_cursor,
    });
  },
});

/** The most keys that the keys of an account make in 24 hours. Rows of revoked keys stay. */
const MADE_A_DAY = LIMITS.fixed.keys_made.preset;

/**
 * Makes a key of the caller's kind, or a test key. It ends no later than the caller's, whose scope is the highest one.
 * So no key gets more rights than its maker has.
 */
export const createOwnKey = operation({
  route: 'POST /api/keys',
  scope: 'account:manage',
  body: NewKey,
  answers: { 201: KeyOnce },
  handler: async (service, context) => {
    const { accountId, keyId: madeBy } = context.caller;
    const { kind, name = null, scope, expires_at, ingest_limits: ingestLimits = null } = await context.body();
    const own = await requireLiveKey(service, context.caller);
    const expiresAt = expires_at === undefined ? own.expiresAt : Date.parse(expires_at);
    const end = own.expiresAt ?? Number.POSITIVE_INFINITY;
    const wrong = [
      kind !== own.kind && kind !== 'test' && { path: 'kind', message: `must be test, or ${own.kind} as your key` },
      expiresAt !== null && expiresAt <= service.now() && { path: 'expires_at', message: 'must be in the future' },
      expiresAt !== null &&
        expiresAt > end && {
          path: 'expires_at',
          message: `must not be after the end of your key, ${isoTime(end)}`,
        },
    ].filter((one) => one !== false);
    if (wrong.length > 0) throw invalidRequest(wrong);
    if ((await countMadeKeys(service.database, accountId, service.now() - DAY_MS)) >= MADE_A_DAY) {
      throw limitReached(`The keys of the account have made ${MADE_A_DAY} keys in 24 hours.`, DAY_MS / 1000);
    }
    const terms = { kind, name, scope, expiresAt, ingestLimits, madeBy };
    const made = await issueKey(service, accountId, terms).catch(async (error: unknown) => {
      // A key is also refused if its maker was revoked meanwhile.
      await requireLiveKey(service, context.caller);
      throw error;
    });
    await recordKeyChange(service, context, 'createOwnKey', { key_id: made.key_id }, 201);
    return context.reply(201, made);
  },
});

export const revokeOwnKey = operation({
  route: 'DELETE /api/keys/:id',
  scope: 'account:manage',
  query: RevokeQuery,
  answers: { 204: null },
  handler: async (service, context) => {
    const { id } = context.params;
    const { keep_made } = context.query();
    await requireLiveKey(service, context.caller);
    const ended = await revokeApiKey(service.database, context.caller.accountId, id, service.now(), keep_made);
    if (ended === null) throw notFound();
    const target = { key_id: id, revoked: String(ended.length) };
    if (ended.length > 0) await recordKeyChange(service, context, 'revokeOwnKey', target, 204);
    return context.reply(204, null);
  },
});

export const words = (): Words => ({
  listOwnKeys: {
    summary: 'List your keys',
    description: 'Returns keys by their hints: a key is shown only once. `is_this` marks the key of this request.',
    answers: {
      200: answer('A page of keys.', {
        keys: [
          { ...LISTED_KEY, name: 'owner', scope: 'manage', is_this: true },
          { ...LISTED_KEY, key_id: NEXT_KEY_ID, hint: 'tr_met_9bXe…Qf07', made_by: KEY_ID, is_this: false },
        ],
        next_cursor: null,
      }),
    },
  },
  createOwnKey: {
    summary: 'Make a key',
    description:
      'A key of the kind of yours, or a test key. It has yours as `made_by`, and is revoked with it unless you keep it. Without `expires_at` it ends with yours. Two live keys of each kind and scope may exist, so that you can replace one. The call is not idempotent: if its answer is lost, find the key in the list and revoke it.',
    body: { examples: only({ kind: 'metered', name: 'web server', scope: 'submit' }) },
    answers: { 201: answer('The key, which is shown only once.', { ...KEY, key: 'tr_met_…' }) },
    problems: ['limit_reached'],
  },
  revokeOwnKey: {
    summary: 'Revoke a key',
    description:
      'The key is refused everywhere within 30 seconds. The keys that it has made are revoked too, and those that these have made; with `keep_made=true` they stay. You may revoke your own key. The same call again changes nothing; one without `keep_made` also revokes keys that were kept.',
    answers: { 204: { description: 'The key is revoked.' } },
  },
});
