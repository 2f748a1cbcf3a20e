import { open } from 'node:fs/promises';
import { fileKind, HEAD_BYTES } from '#domain/file-kind.ts';

/**
 * Returns what a file is by its first bytes, or null if it is not an archive. File names of servers are not reliable.
 */
export async function detectArchive(path: string): Promise<Exclude<ReturnType<typeof fileKind>, 'demo' | 'csgo-demo'>> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const kind = fileKind(buffer.toString('hex', 0, bytesRead));
    return kind === 'demo' || kind === 'csgo-demo' ? null : kind;
  } finally {
    await file.close();
  }
}
