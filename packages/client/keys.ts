import { createListing, type Listing } from './listing.ts';
import type { CallOperation } from './operations.ts';
import type { AccountOperations, KeyOnce, NewKey, OwnKey, OwnKeyList } from './shapes.ts';
import type { RequestOptions } from './transport.ts';

export interface RevokeOptions extends RequestOptions {
  /** Keeps the keys that the revoked key has made. Without it, they are revoked too. */
  readonly keepMade?: boolean | undefined;
}

/** The account's API keys. Only a key of scope `manage` makes and revokes keys. */
export interface Keys {
  /** Returns all keys, oldest first, also revoked ones. `is_this` marks the key of this client. */
  list(query?: AccountOperations['listOwnKeys']['query'], options?: RequestOptions): Listing<OwnKeyList, OwnKey>;
  /** Makes a key, which is returned only once. */
  create(key: NewKey, options?: RequestOptions): Promise<KeyOnce>;
  revoke(keyId: string, options?: RevokeOptions): Promise<void>;
}

export function createKeys(call: CallOperation<AccountOperations>): Keys {
  return {
    list: (query, options) =>
      createListing((from) => call('listOwnKeys', { query: { ...query, ...from } }, options), 'keys'),
    // A limit of keys does not end by waiting.
    create: (body, options) => call('createOwnKey', { body }, { maxRetries: 0, ...options }),
    revoke: (id, { keepMade, ...options } = {}) =>
      call('revokeOwnKey', { params: { id }, query: keepMade ? { keep_made: 'true' } : {} }, options),
  };
}
