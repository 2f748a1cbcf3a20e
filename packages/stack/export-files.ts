import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Miniflare } from 'miniflare';
import { RUNTIME } from './service.ts';

/** Writes the files of both buckets of a data folder that no stack uses to `BUCKET/KEY`, to upload them elsewhere. */
export async function exportFiles(dataDir: string, to: string): Promise<void> {
  const miniflare = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: 'export default {}' }],
    compatibilityDate: RUNTIME.compatibilityDate,
    cf: false,
    r2Buckets: RUNTIME.r2Buckets,
    r2Persist: join(dataDir, 'r2'),
  });
  try {
    for (const [binding, name] of Object.entries(RUNTIME.r2Buckets)) {
      const bucket = await miniflare.getR2Bucket(binding);
      for (let cursor: string | undefined, isMore = true; isMore; ) {
        const page = await bucket.list(cursor === undefined ? {} : { cursor });
        for (const { key } of page.objects) {
          const path = join(to, name, key);
          const file = await bucket.get(key);
          if (file === null) continue;
          await mkdir(dirname(path), { recursive: true, mode: 0o700 });
          await pipeline(Readable.fromWeb(file.body as never), createWriteStream(path));
        }
        isMore = page.truncated;
        cursor = page.truncated ? page.cursor : undefined;
      }
    }
  } finally {
    await miniflare.dispose();
  }
}
