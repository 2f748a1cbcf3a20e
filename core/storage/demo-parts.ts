import type { MultipartUpload } from '#domain/job.ts';
import { abortUpload } from './clip-files.ts';
import { askS3, elementsOf, presignedUrl, S3Error, type S3Settings } from './s3.ts';
import type { UploadRow } from './schema.ts';

/**
 * How the parts of an uploaded demo get into its bucket: through the Worker, or, where there are keys for it, straight
 * to the bucket by addresses that the Worker signs. An upload goes on as it began, whatever is configured meanwhile.
 */
export interface DemoParts {
  /** Begins an upload in parts, and gives storage's name of it. */
  begin(key: string): Promise<string>;
  isDirect(upload: Named): boolean;
  /** What storage calls each part that it has, by its number. Rejects where it gave it up, or the keys are gone. */
  arrived(key: string, upload: Pick<UploadRow, 'multipartId' | 'parts'>): Promise<Readonly<Record<string, string>>>;
  /** Where so many bytes are PUT as a part until the upload expires, without a key. */
  addressOf(key: string, upload: Named & Pick<UploadRow, 'expiresAt'>, part: number, bytes: number): Promise<string>;
  /** Makes one file of the parts. */
  complete(key: string, upload: Named, parts: Readonly<Record<string, string>>): Promise<void>;
  /** Repeatable; a completed one is left as it is. */
  abort(key: string, upload: Named): Promise<void>;
}

type Named = Pick<UploadRow, 'multipartId'>;

/** Before storage's own name of an upload whose parts do not pass through the Worker. */
const DIRECT = 's3:';
/** S3 takes no longer. */
const MOST_SECONDS = 7 * 24 * 60 * 60;

export function createDemoParts(bucket: R2Bucket, s3: S3Settings | null, now: () => number): DemoParts {
  const isDirect = ({ multipartId }: Named) => multipartId.startsWith(DIRECT);
  const nameOf = ({ multipartId }: Named): MultipartUpload['uploadId'] => multipartId.replace(DIRECT, '');
  const keys = (): S3Settings => {
    if (s3 === null) throw new S3Error('an upload in parts', 404, 'NoSuchUpload');
    return s3;
  };
  const numbered = (parts: Readonly<Record<string, string>>) =>
    Object.entries(parts)
      .map(([part, etag]) => ({ partNumber: Number(part), etag }))
      .sort((a, b) => a.partNumber - b.partNumber);
  return {
    isDirect,

    async begin(key) {
      if (s3 === null) return (await bucket.createMultipartUpload(key)).uploadId;
      const told = await askS3(s3, 'createMultipartUpload', { method: 'POST', key, query: { uploads: '' } });
      const [name] = elementsOf(told, 'UploadId');
      if (!name) throw new Error('storage began an upload without a name');
      return DIRECT + name;
    },

    async arrived(key, upload) {
      if (!isDirect(upload)) return upload.parts;
      const told = await askS3(keys(), 'listParts', { method: 'GET', key, query: { uploadId: nameOf(upload) } });
      const parts = elementsOf(told, 'Part').map((part) => [
        elementsOf(part, 'PartNumber')[0] ?? '',
        elementsOf(part, 'ETag')[0] ?? '',
      ]);
      return Object.fromEntries(parts);
    },

    addressOf: (key, upload, part, bytes) =>
      presignedUrl(keys(), {
        ...{ method: 'PUT', key, now: now() },
        query: { partNumber: String(part), uploadId: nameOf(upload) },
        headers: { 'Content-Length': String(bytes) },
        seconds: Math.max(1, Math.min(MOST_SECONDS, Math.floor((upload.expiresAt - now()) / 1000))),
      }),

    async complete(key, upload, parts) {
      if (!isDirect(upload)) {
        await bucket.resumeMultipartUpload(key, nameOf(upload)).complete(numbered(parts));
        return;
      }
      const list = numbered(parts).map(
        ({ partNumber, etag }) => `<Part><PartNumber>${partNumber}</PartNumber><ETag>${etag}</ETag></Part>`,
      );
      const body = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`;
      await askS3(keys(), 'completeMultipartUpload', {
        method: 'POST',
        key,
        query: { uploadId: nameOf(upload) },
        body,
      });
    },

    async abort(key, upload) {
      if (!isDirect(upload)) return abortUpload(bucket, { key, uploadId: nameOf(upload) });
      // Storage gives it up by itself after a week.
      if (s3 === null) return;
      try {
        await askS3(s3, 'abortMultipartUpload', { method: 'DELETE', key, query: { uploadId: nameOf(upload) } });
      } catch (error) {
        if (!(error instanceof S3Error && error.code === 'NoSuchUpload')) throw error;
      }
    },
  };
}
