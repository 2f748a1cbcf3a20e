import type { StoredFile } from '#domain/clip/clip.ts';
import type { ClipFile } from '#domain/job/storage-keys.ts';
import { isWholeJpeg, isWholeMp4, type ReadBytes } from '#domain/lib/file-headers.ts';
import { invalidRequest } from '#http/problem.ts';
import { requireContent } from '#service/lib/store-body.ts';
import { isWholeTracks } from '#tracks/file.ts';

/**
 * Throws a problem unless storage has the file with the announced size and SHA-256, and it has the boxes, markers or
 * head of its kind. The service serves the file under its own name.
 */
export async function requireStored(files: R2Bucket, file: ClipFile, stored: StoredFile): Promise<void> {
  const { key, bytes } = stored;
  await requireContent(files, stored);
  const read: ReadBytes = async (offset, length) => {
    const part = await files.get(key, { range: { offset, length: Math.min(length, bytes - offset) } });
    return new Uint8Array((await part?.arrayBuffer()) ?? new ArrayBuffer(0));
  };
  const { isWhole, name } = KINDS[file];
  if (!(await isWhole(read, bytes))) throw invalidRequest([{ path: file, message: `must be ${name}` }]);
}

const JPEG = { isWhole: isWholeJpeg, name: 'a JPEG file' };
const KINDS: Readonly<
  Record<ClipFile, { readonly isWhole: (read: ReadBytes, size: number) => Promise<boolean>; readonly name: string }>
> = {
  video: { isWhole: isWholeMp4, name: 'an MP4 file' },
  thumbnail: JPEG,
  storyboard: JPEG,
  tracks: { isWhole: isWholeTracks, name: 'tracks of a version that this service has' },
};
