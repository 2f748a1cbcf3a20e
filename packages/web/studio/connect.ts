import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { errorOf } from '#client/errors.ts';
import { createTickreel, type Tickreel } from '#client/index.ts';
import { explainFailure } from '#domain/failure/help.ts';
import { describeWrongFile, fileKind, HEAD_BYTES, isArchive, wrongFile } from '#domain/lib/file-headers.ts';
import { unfitDemo } from './sign-in.tsx';

/**
 * Returns a client. `onRefused` gets the error if the service refuses the key. `onReach` is called after each request:
 * whether the service answered.
 */
export function connect(
  apiKey: string,
  onRefused: (error: unknown) => void,
  onReach: (isReached: boolean) => void,
): Tickreel {
  const watched: typeof fetch = async (...request) => {
    const response = await fetch(...request).catch((error: unknown) => {
      if (!request[1]?.signal?.aborted) onReach(false);
      throw error;
    });
    onReach(true);
    if (response.status === 401) onRefused(await errorOf(response.clone()));
    return response;
  };
  return createTickreel({ baseUrl: location.origin, apiKey, fetch: watched });
}

/** The open demo and its ticked moments, in the fragment of the address: a reload and a shared link restore them. */
export interface Place {
  readonly demoId: string | null;
  readonly ticks: readonly string[];
}

export function readPlace(): Place {
  const values = new URLSearchParams(location.hash.slice(1));
  return { demoId: values.get('demo'), ticks: values.get('ticks')?.split(',') ?? [] };
}

export function writePlace({ demoId, ticks }: Place): void {
  const chosen = ticks.length === 0 ? '' : `&ticks=${ticks.join(',')}`;
  history.replaceState(null, '', demoId === null ? location.pathname : `#demo=${demoId}${chosen}`);
}

/** Opens a demo without ticked moments, unless it is open. */
export function openPlace(demoId: string): void {
  if (readPlace().demoId !== demoId) writePlace({ demoId, ticks: [] });
}

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
