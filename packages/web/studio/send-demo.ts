import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Tickreel } from '#client/index.ts';
import { explainFailure } from '#domain/failure/help.ts';
import { describeWrongFile, fileKind, HEAD_BYTES, isArchive, wrongFile } from '#domain/lib/file-headers.ts';
import { unfitDemo } from './trouble.tsx';
/** Gets the current step and its progress, from 0 to 1; null if that is unknown. */
export type OnStep = (text: string, fraction: number | null) => void;

/**
 * Uploads a file, or resumes its upload. Continues after an outage of the service. Returns the URL of the upload, which
 * jobs of the account can use. Rejects before anything is sent if the file is neither a demo nor an archive.
 */
export async function uploadDemo(client: Tickreel, file: File, onStep: OnStep, signal: AbortSignal): Promise<string> {
  const head = bytesToHex(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()));
  const kind = fileKind(head);
  if (kind === 'csgo-demo')
    throw unfitDemo('demo_incompatible', explainFailure('demo_incompatible', { game: 'CS:GO' }));
  if (kind !== 'demo' && !isArchive(kind)) {
    const found = describeWrongFile(wrongFile(head)) ?? 'not a demo, nor a .gz, .bz2, .zst, .zip or .rar with one';
    throw unfitDemo(kind === null ? 'demo_failed_parse' : 'decompress_failed', `${file.name} is ${found}.`);
  }
  const digest = await digestOf(file, (fraction) => {
    signal.throwIfAborted();
    onStep('Reading the file', fraction);
  });
  const onProgress = (arrived: number, total: number) => onStep('Uploading', arrived / total);
  const demo = { name: file.name.slice(0, 200), content: file, sha256: digest };
  return (await client.uploads.send(demo, { onProgress, signal, maxRetries: Infinity })).demo_url;
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
