import type { ObjectBindings } from '#rpc/bindings.ts';
import type { RateBindings } from './limits.ts';

/** The Worker's bindings, without the variables that `loadSettings` reads. */
export interface Bindings extends RateBindings, ObjectBindings {
  readonly DB: D1Database;
  readonly CLIPS: R2Bucket;
  readonly ASSETS: R2Bucket;
  /** The files of src/static. */
  readonly STATIC: Fetcher;
  /** Only on a stack: returns the `DiskState`. */
  readonly DISK?: Fetcher;
  /** Only on a stack: calls addresses that the operator has set, including private ones. */
  readonly OPERATOR?: Fetcher;
}
