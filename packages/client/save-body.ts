import { createWriteStream } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/**
 * Saves the body of a response as a file. Writes a temporary file and renames it at the end, so that a broken download
 * leaves an existing file unchanged. Writes directly to anything that is not a regular file, such as /dev/stdout.
 */
export async function saveBody({ body, headers }: Response, path: string): Promise<void> {
  const file = await realpath(path).catch(() => path);
  const isFile = (await stat(file).catch(() => null))?.isFile() ?? true;
  const draft = isFile ? `${file}.${crypto.randomUUID()}.part` : file;
  // fetch has decoded a body with a `Content-Encoding`, so its length differs.
  const length = headers.has('Content-Encoding') ? null : headers.get('Content-Length');
  try {
    const out = createWriteStream(draft);
    await pipeline(body ?? [], out);
    if (length !== null && out.bytesWritten !== Number(length)) {
      throw new Error(`${out.bytesWritten} of ${length} bytes arrived`);
    }
    if (isFile) await rename(draft, file);
  } catch (cause) {
    throw new Error(`${path} is not saved: ${cause instanceof Error ? cause.message : cause}`, { cause });
  } finally {
    if (isFile) await rm(draft, { force: true });
  }
}
