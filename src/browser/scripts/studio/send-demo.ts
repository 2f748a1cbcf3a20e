import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Tickreel } from '#client/index.ts';
import type { Demo } from './shapes.ts';

/** How far it is, 0 to 1; null while there is no telling. */
export type Tell = (words: string, fraction: number | null) => void;

/** Uploads a file, or what is missing of it, and gives the address that jobs of the account know it under. */
export async function uploadDemo(client: Tickreel, file: File, tell: Tell, signal: AbortSignal): Promise<string> {
  const digest = await digestOf(file, (fraction) => {
    signal.throwIfAborted();
    tell('Reading the file', fraction);
  });
  const onProgress = (arrived: number, total: number) => tell('Uploading', arrived / total);
  const demo = { name: file.name.slice(0, 200), content: file, sha256: digest };
  return (await client.uploads.send(demo, { onProgress, signal })).demo_url;
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
export async function readDemo(client: Tickreel, demo_url: string, tell: Tell, signal: AbortSignal): Promise<Demo> {
  const onProgress = () => tell('Looking for its moments', null);
  const demo = await client.demos.inspect(demo_url, { onProgress, signal });
  if (demo.state === 'error') throw new Error(`The demo cannot be read: ${demo.error_code}.`);
  return demo;
}
