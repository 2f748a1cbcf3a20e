import * as z from 'zod';
import { AdminListQuery, ApiKey, KeyList } from '#protocol/admin.ts';
import { KEY_ID, LISTED_KEY, NEXT_KEY_ID } from '#protocol/operator-examples.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { selectApiKeys } from '#storage/accounts.ts';
import { keyView } from '../admin/views.ts';
import { pageOf } from './page-of.ts';

const OwnKey = ApiKey.extend({
  is_this: z.boolean().meta({ description: 'Whether it is the key of this request.' }),
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

export const words = (): Words => ({
  listOwnKeys: {
    tag: 'API keys',
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
});
