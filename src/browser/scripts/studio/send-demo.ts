import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Demo, Tickreel } from '#client/index.ts';

/** Gets the current step and its progress, from 0 to 1; null if that is unknown. */
export type OnStep = (text: string, fraction: number | null) => void;

/** Uploads a file, or resumes its upload. Returns its URL, which jobs of the account can use. */
export async function uploadDemo(client: Tickreel, file: File, onStep: OnStep, signal: AbortSignal): Promise<string> {
  const digest = await digestOf(file, (fraction) => {
    signal.throwIfAborted();
    onStep('Reading the file', fraction);
  });
  const onProgress = (arrived: number, total: number) => onStep('Uploading', arrived / total);
  const demo = { name: file.name.slice(0, 200), content: file, sha256: digest };
  return (await client.uploads.send(demo, { onProgress, signal })).demo_url;
}

/** Returns the SHA-256 of a file, in hexadecimal. The browser's own digest would need the whole file in memory. */
async function digestOf(file: File, onProgress: (fraction: number) => void): Promise<string> {
  const hash = sha256.create();
  const reader = file.stream().getReader();
  let done = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    hash.update(piece.value);
    done += piece.value.byteLength;
    onProgress(done / file.size);
  }
  return bytesToHex(hash.digest());
}

/** Inspects a demo, and waits for the result. Rejects if the demo cannot be read. */
export async function readDemo(client: Tickreel, demo_url: string, onStep: OnStep, signal: AbortSignal): Promise<Demo> {
  const onProgress = () => onStep('Looking for its moments', null);
  const demo = await client.demos.inspect(demo_url, { onProgress, signal });
  if (demo.state === 'error') throw new Error(`The demo cannot be read: ${demo.error_code}.`);
  return demo;
}
