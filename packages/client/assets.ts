import { createListing, type Listing } from './listing.ts';
import type { CallOperation } from './operations.ts';
import type { AccountOperations, Asset, AssetList } from './shapes.ts';
import type { RequestOptions } from './transport.ts';

export interface Assets {
  /** Uploads an image or music. `file.type` says what it is, such as `image/png` or `audio/mpeg`. */
  upload(file: Blob, query: AccountOperations['uploadAsset']['query'], options?: RequestOptions): Promise<Asset>;
  get(assetId: string, options?: RequestOptions): Promise<Asset>;
  list(query?: AccountOperations['listAssets']['query'], options?: RequestOptions): Listing<AssetList, Asset>;
  delete(assetId: string, options?: RequestOptions): Promise<void>;
}

/** Watermarks, intros, outros and music. */
export function createAssets(call: CallOperation<AccountOperations>): Assets {
  return {
    // Music has up to 20 MiB.
    upload: (body, query, options) => call('uploadAsset', { query, body }, { timeoutMs: 10 * 60_000, ...options }),
    get: (id, options) => call('getAsset', { params: { id } }, options),
    list: (query, options) =>
      createListing((from) => call('listAssets', { query: { ...query, ...from } }, options), 'assets'),
    delete: (id, options) => call('deleteAsset', { params: { id } }, options),
  };
}
