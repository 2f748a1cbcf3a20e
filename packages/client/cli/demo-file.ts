import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Tickreel } from '../index.ts';
import { showUpload } from './progress-bar.ts';
import { UsageError } from './settings.ts';

/** Returns the address of a demo. Uploads a file of this machine first. */
export async function demoUrlOf(client: Tickreel, urlOrFile: string): Promise<string> {
  if (/^https?:\/\//i.test(urlOrFile)) return urlOrFile;
  const unreadable = ({ message }: Error): never => {
    throw new UsageError(`${urlOrFile} is no http(s) URL, and no file that can be read: ${message}`);
  };
  // `openAsBlob` throws synchronously.
  const content = await (async () => openAsBlob(urlOrFile))().catch(unreadable);
  const hash = createHash('sha256');
  await pipeline(createReadStream(urlOrFile, { highWaterMark: 1 << 20 }), hash).catch(unreadable);
  const progress = showUpload(process.stderr);
  const file = { name: basename(urlOrFile), content, sha256: hash.digest('hex') };
  return (await client.uploads.send(file, { onProgress: progress.update }).finally(progress.stop)).demo_url;
}
