import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { UploadBegin, UploadedPart } from '#protocol/host/gateway.ts';
import type { GatewayClient, LeaseRef } from './gateway-client.ts';
import { GatewayError, withRetries } from './gateway-error.ts';

const TRIES_PER_STEP = 5;
/**
 * The most tries of a file. Storage can lose an upload, or complete it and lose the answer. Sending a file again is
 * cheap compared to rendering it again.
 */
const TRIES_PER_FILE = 2;

/** What `complete` reports about a file. */
export interface Uploaded {
  readonly bytes: number;
  /** SHA-256 of the whole file in hexadecimal. */
  readonly sha256: string;
}

/**
 * Uploads a file in parts of `usualBytes`, or as many as the gateway says. Each has its own SHA-256 and its own
 * retries, so that a broken connection costs one part. Starts again if storage has no such upload. Holds one part in
 * memory. Rejects with a `GatewayError` when a part is refused for good.
 */
export async function uploadFile(...task: Parameters<typeof uploadOnce>): Promise<Uploaded> {
  for (let tries = 1; ; tries++) {
    try {
      return await uploadOnce(...task);
    } catch (error) {
      const again = error instanceof GatewayError && error.isUploadIncomplete && tries < TRIES_PER_FILE;
      if (!again) throw error;
    }
  }
}

async function uploadOnce(
  gateway: GatewayClient,
  lease: LeaseRef,
  file: UploadBegin['file'],
  path: string,
  usualBytes: number,
  signal: AbortSignal,
): Promise<Uploaded> {
  const retried = <T>(step: () => Promise<T>) => withRetries(step, TRIES_PER_STEP, signal);
  const whole = createHash('sha256');
  const parts: UploadedPart[] = [];
  let bytes = 0;
  const handle = await open(path);
  const { size } = await handle.stat();
  try {
    const begun = await retried(() => gateway.beginUpload(lease, { file, bytes: size }, signal));
    const { upload_id, part_bytes: partBytes = usualBytes } = begun;
    const buffer = new Uint8Array(Math.min(size, partBytes));
    for (let part = 1; ; part++) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, bytes);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      whole.update(chunk);
      const sha256 = createHash('sha256').update(chunk).digest('hex');
      const query = { file, upload_id, part, sha256 };
      parts.push(await retried(() => gateway.uploadPart(lease, query, chunk, signal)));
      bytes += bytesRead;
      if (bytesRead < partBytes) break;
    }
    await retried(() => gateway.endUpload(lease, { file, upload_id, parts }, signal));
  } finally {
    await handle.close();
  }
  return { bytes, sha256: whole.digest('hex') };
}
