import { open } from 'node:fs/promises';
import { fileKind, HEAD_BYTES, isCrLf, SAMPLE_BYTES } from '#domain/file-kind.ts';

/** Returns what a file is by its first bytes. File names of servers are not reliable. */
export async function kindOfFile(path: string): Promise<ReturnType<typeof fileKind>> {
  return fileKind((await startOf(path)).toString('hex', 0, HEAD_BYTES));
}

/** Whether an archive that cannot be unpacked was transferred in text mode, which turns each LF into CR LF. */
export async function isDamagedInTransfer(path: string): Promise<boolean> {
  return isCrLf(await startOf(path));
}

async function startOf(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
