import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Tickreel } from '../../../client/index.ts';
import type { Demo } from './shapes.ts';

/** How far it is, 0 to 1; null while there is no telling. */
export type Tell = (words: string, fraction: number | null) => void;

/** So many parts go at a time. */
const AT_ONCE = 3;
const ASK_MS = 1000;

/** Uploads a file, or what is missing of it, and gives the address that jobs of the account know it under. */
export async function uploadDemo(client: Tickreel, file: File, tell: Tell): Promise<string> {
  const digest = await digestOf(file, (fraction) => tell('Reading the file', fraction));
  const body = { name: file.name.slice(0, 200), bytes: file.size, sha256: digest };
  const upload = await client.call('createUpload', { body });
  const missing = [...upload.parts];
  let left = missing.reduce((sum, { bytes }) => sum + bytes, 0);
  const send = async (): Promise<void> => {
    for (let next = missing.shift(); next; next = missing.shift()) {
      const { part, offset, bytes } = next;
      const slice = file.slice(offset, offset + bytes, 'application/octet-stream');
      await client.call('sendUploadPart', { params: { id: upload.id }, query: { part }, body: slice });
      left -= bytes;
      tell('Uploading', 1 - left / file.size);
    }
  };
  tell('Uploading', 1 - left / file.size);
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  if (upload.state !== 'complete') await client.call('completeUpload', { params: { id: upload.id } });
  return upload.demo_url;
}

/** A browser has no digest of its own that takes a file piece by piece. */
async function digestOf(file: File, tell: (fraction: number) => void): Promise<string> {
  const hash = sha256.create();
  const reader = file.stream().getReader();
  let done = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    hash.update(piece.value);
    done += piece.value.byteLength;
    tell(done / file.size);
  }
  return bytesToHex(hash.digest());
}

/** Has a demo read, and waits until it is. Rejects when it cannot be. */
export async function readDemo(client: Tickreel, demo_url: string, tell: Tell): Promise<Demo> {
  let demo = await client.call('inspectDemo', { body: { demo_url } });
  while (demo.state === 'pending') {
    tell('Looking for its moments', null);
    await new Promise((resolve) => setTimeout(resolve, ASK_MS));
    demo = await client.call('getDemo', { params: { id: demo.id } });
  }
  if (demo.state === 'error') throw new Error(`The demo cannot be read: ${demo.error_code}.`);
  return demo;
}
