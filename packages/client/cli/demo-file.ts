import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SHARE_CODE } from '../demos.ts';
import { type Tickreel, TickreelError } from '../index.ts';
import { showUpload } from './progress-bar.ts';
import { UsageError } from './settings.ts';

/** Returns the address of a demo. First uploads a file of this machine, and has a share code of Steam resolved. */
export async function demoUrlOf(client: Tickreel, urlOrFile: string): Promise<string> {
  if (/^https?:\/\//i.test(urlOrFile)) return urlOrFile;
  if (SHARE_CODE.test(urlOrFile)) {
    const { demo_url, error_code, diagnosis } = await client.demos.inspect(urlOrFile);
    if (error_code !== null) throw new TickreelError(error_code, diagnosis?.summary ?? error_code);
    return demo_url;
  }
  const unreadable = ({ message }: Error): never => {
    throw new UsageError(`${urlOrFile} is no http(s) URL, no share code, and no file that can be read: ${message}`);
  };
  // `openAsBlob` throws synchronously.
  const content = await (async () => openAsBlob(urlOrFile))().catch(unreadable);
  const hash = createHash('sha256');
  await pipeline(createReadStream(urlOrFile, { highWaterMark: 1 << 20 }), hash).catch(unreadable);
  const progress = showUpload(process.stderr);
  const file = { name: basename(urlOrFile), content, sha256: hash.digest('hex') };
  return (await client.uploads.send(file, { onProgress: progress.update }).finally(progress.stop)).demo_url;
}
