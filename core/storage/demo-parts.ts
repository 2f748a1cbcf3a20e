import type { MultipartUpload } from '#domain/job.ts';
import { abortUpload } from './clip-files.ts';
import { askS3, elementsOf, presignedUrl, S3Error, type S3Settings } from './s3.ts';
import type { UploadRow } from './schema.ts';

/**
 * Stores the parts of an uploaded demo: through the Worker, or with S3 keys directly by signed addresses. An upload
 * keeps its way if the settings change.
 */
export interface DemoParts {
  /** Creates a multipart upload and returns storage's id of it. */
  begin(key: string): Promise<string>;
  isDirect(upload: Named): boolean;
  /**
   * Returns the etag of each stored part by its number. Rejects if storage has aborted the upload, or the keys are
   * gone.
   */
  arrived(key: string, upload: Named & Pick<UploadRow, 'parts'>): Promise<Readonly<Record<string, string>>>;
  /** Returns an address that accepts a part of this many bytes by PUT, without a key, until the upload expires. */
  addressOf(key: string, upload: Named & Pick<UploadRow, 'expiresAt'>, part: number, bytes: number): Promise<string>;
  /** Joins the parts to one file. */
  complete(key: string, upload: Named, parts: Readonly<Record<string, string>>): Promise<void>;
  /** Repeatable; a completed upload stays. */
  abort(key: string, upload: Pick<UploadRow, 'multipartId'>): Promise<void>;
}

/** An upload whose bytes come in parts, with a SHA-256 that was announced. */
export type PartedUpload = UploadRow & { readonly multipartId: string; readonly sha256: string };

export function isInParts(row: UploadRow): row is PartedUpload {
  return row.multipartId !== null && row.sha256 !== null;
}

type Named = Pick<PartedUpload, 'multipartId'>;

/** Prefix of the upload id for parts that bypass the Worker. */
const DIRECT = 's3:';
/** The most that S3 accepts. */
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
      const response = await askS3(s3, 'createMultipartUpload', { method: 'POST', key, query: { uploads: '' } });
      const [name] = elementsOf(response, 'UploadId');
      if (!name) throw new Error('storage began an upload without a name');
      return DIRECT + name;
    },

    async arrived(key, upload) {
      if (!isDirect(upload)) return upload.parts;
      const response = await askS3(keys(), 'listParts', { method: 'GET', key, query: { uploadId: nameOf(upload) } });
      const parts = elementsOf(response, 'Part').map((part) => [
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

    async abort(key, { multipartId }) {
      if (multipartId === null) return;
      const upload = { multipartId };
      if (!isDirect(upload)) return abortUpload(bucket, { key, uploadId: nameOf(upload) });
      // Storage aborts it by itself after a week.
      if (s3 === null) return;
      try {
        await askS3(s3, 'abortMultipartUpload', { method: 'DELETE', key, query: { uploadId: nameOf(upload) } });
      } catch (error) {
        if (!(error instanceof S3Error && error.code === 'NoSuchUpload')) throw error;
      }
    },
  };
}
