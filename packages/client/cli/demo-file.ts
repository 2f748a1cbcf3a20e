import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { choicesOf } from '../demos.ts';
import type { Demo, Tickreel } from '../index.ts';
import { tell } from './output.ts';
import { showUpload } from './progress-bar.ts';
import { UsageError } from './settings.ts';

/** Returns the address of a demo. First uploads a file of this machine. */
export async function demoUrlOf(client: Tickreel, urlOrFile: string): Promise<string> {
  if (/^https?:\/\//i.test(urlOrFile)) return urlOrFile;
  const unreadable = ({ message }: Error): never => {
    throw new UsageError(`${urlOrFile} is no http(s) URL and no file that can be read: ${message}`);
  };
  // `openAsBlob` throws synchronously.
  const content = await (async () => openAsBlob(urlOrFile))().catch(unreadable);
  const hash = createHash('sha256');
  await pipeline(createReadStream(urlOrFile, { highWaterMark: 1 << 20 }), hash).catch(unreadable);
  const progress = showUpload(process.stderr);
  const file = { name: basename(urlOrFile), content, sha256: hash.digest('hex') };
  return (await client.uploads.send(file, { onProgress: progress.update }).finally(progress.stop)).demo_url;
}

/**
 * Inspects a demo by its address. A failed download is retried for a long time. If the archive has several demos,
 * prints the shell argument that chooses each of them.
 */
export async function inspected(client: Tickreel, demoUrl: string): Promise<Demo> {
  let tried: string | null = null;
  const demo = await client.demos.inspect(demoUrl, {
    onProgress({ error_code }) {
      if (error_code === tried) return;
      tried = error_code;
      if (tried !== null) tell(`The demo could not be read yet (${tried}); it is tried again.`);
    },
  });
  const choices = choicesOf(demo);
  if (choices.length > 0) tell('The archive has several demos. Choose one by its address:');
  for (const { demo_url } of choices) tell(`  '${demo_url.replaceAll("'", "'\\''")}'`);
  return demo;
}
