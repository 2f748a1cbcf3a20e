import type { StoredFile } from '#domain/clip.ts';
import { isWholeJpeg, isWholeMp4, type ReadBytes } from '#domain/media-header.ts';
import type { ClipFile } from '#domain/storage-keys.ts';
import { invalidRequest, ProblemError } from '#http/problem.ts';
import { toHex } from '#platform/digest.ts';
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

/** Throws a problem unless storage has the file with the announced size and SHA-256. */
export async function requireContent(files: R2Bucket, { key, bytes, sha256 }: StoredFile): Promise<void> {
  const object = await files.get(key);
  if (object?.size !== bytes) {
    await object?.body.cancel();
    const found = object ? `has ${object.size} bytes` : 'is not there';
    throw new ProblemError('upload_incomplete', `${key} ${found}, announced were ${bytes} bytes.`);
  }
  const digest = new crypto.DigestStream('SHA-256');
  await object.body.pipeTo(digest);
  if (toHex(new Uint8Array(await digest.digest)) !== sha256) {
    throw new ProblemError('upload_incomplete', `${key} has another SHA-256 than announced.`);
  }
}
