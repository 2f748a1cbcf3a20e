import { DAY_MS } from '#domain/metering.ts';
import { invalidRequest } from '#http/problem.ts';
import { limitReached } from '#http/rate-limit.ts';
import { KeyOnce, NewKey } from '#protocol/admin.ts';
import { isoTime } from '#protocol/job-view.ts';
import { KEY } from '#protocol/operator-examples.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { countMadeKeys } from '#storage/accounts.ts';
import { issueKey } from '../admin/issue-key.ts';
import { recordKeyChange, requireLiveKey } from './own-key.ts';

/** The most keys that the keys of an account make in 24 hours. Rows of revoked keys stay. */
const MADE_A_DAY = 20;

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

export const words = (): Words => ({
  createOwnKey: {
    tag: 'API keys',
    summary: 'Make a key',
    description:
      'A key of the kind of yours, or a test key. It has yours as `made_by`, and is revoked with it unless you keep it. Without `expires_at` it ends with yours. Two live keys of each kind and scope may exist, so that you can replace one. The call is not idempotent: if its answer is lost, find the key in the list and revoke it.',
    body: { examples: only({ kind: 'metered', name: 'web server', scope: 'submit' }) },
    answers: { 201: answer('The key, which is shown only once.', { ...KEY, key: 'tr_met_…' }) },
    problems: ['limit_reached'],
  },
});
