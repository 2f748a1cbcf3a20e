import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { reasonOf } from '../../domain/reason.ts';
import { uploadDemo } from '../upload-demo.ts';
import { asClient, UsageError } from './context.ts';

const BAR_WIDTH = 30;

/** The address of a demo: as it is, or of a file of this machine that is uploaded first, with a bar on a terminal. */
export async function demoUrlOf(urlOrFile: string): Promise<string> {
  if (/^https?:\/\//i.test(urlOrFile)) return urlOrFile;
  const call = asClient();
  let content: Blob;
  const hash = createHash('sha256');
  try {
    content = await openAsBlob(urlOrFile);
    await pipeline(createReadStream(urlOrFile, { highWaterMark: 1 << 20 }), hash);
  } catch (error) {
    throw new UsageError(`${urlOrFile} is no http(s) URL, and no file that can be read: ${reasonOf(error)}`);
  }
  const name = basename(urlOrFile);
  const bar = (bytes: number) => {
    if (!process.stderr.isTTY) return;
    const share = bytes / content.size;
    const done = Math.round(share * BAR_WIDTH);
    const mib = (count: number) => (count / 1024 / 1024).toFixed(1);
    const line = `${name}  ${'█'.repeat(done)}${'░'.repeat(BAR_WIDTH - done)}  ${Math.floor(share * 100)} %`;
    process.stderr.write(`\r${line}  ${mib(bytes)} of ${mib(content.size)} MiB${share === 1 ? '\n' : ''}`);
  };
  return await uploadDemo(call, { name, sha256: hash.digest('hex'), content }, bar);
}
