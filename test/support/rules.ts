import { keepArrival } from '#service/demo/uploads.ts';
import { createService } from '#service/lib/service.ts';
import { insertUpload, NO_PARTS } from '#storage/demo/uploads.ts';
import type { Database } from '#storage/lib/database.ts';
import type { UploadRow } from '#storage/schema/schema.ts';
import { BASE_URL, bindings } from './service.ts';

/** A demo that comes. */
interface Arrival {
  readonly sha256?: string;
  readonly bytes?: number;
  readonly source?: UploadRow['source'];
  readonly tag?: string | null;
  readonly keyId?: string | null;
}

export const newContent = () => crypto.randomUUID().replaceAll('-', '').repeat(2);
export const demoUrlOf = (uploadId: string) => `${BASE_URL}/api/uploads/${uploadId}`;

/** Completes an upload as its operations do, with its runs of rules. Returns the upload's id. */
export async function arrive(db: Database, accountId: string, arrival: Arrival = {}): Promise<string> {
  const { sha256 = newContent(), bytes = 1000, source = 'ingest', tag = null, keyId = null } = arrival;
  const id = crypto.randomUUID();
  const now = Date.now();
  const times = { createdAt: now, expiresAt: now + 7 * 24 * 60 * 60_000 };
  const row = {
    id,
    accountId,
    name: 'a.dem',
    bytes,
    sha256,
    multipartId: null,
    ...times,
    source,
    tag,
    facts: null,
    keyId,
  };
  if (!(await insertUpload(db, row, { bytes: 1e12, open: 1e6, aDay: null })))
    throw new Error('there is such an upload');
  await keepArrival(createService(bindings), { ...row, ...NO_PARTS }, { sha256 });
  return id;
}
