/**
 * The images that accounts uploaded. They lie in a bucket of their own, which `MEDIA_BASE_URL` does not show; those of
 * before it lie beside the clips, and are found and deleted there too.
 */
export interface ImageStore {
  get(key: string): Promise<R2ObjectBody | null>;
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;
  delete(keys: string[]): Promise<void>;
}

export function createImageStore(bucket: R2Bucket, formerBucket: R2Bucket): ImageStore {
  return {
    get: async (key) => (await bucket.get(key)) ?? formerBucket.get(key),
    put: async (key, bytes, contentType) => {
      await bucket.put(key, bytes, { httpMetadata: { contentType } });
    },
    delete: async (keys) => {
      await Promise.all([bucket.delete(keys), formerBucket.delete(keys)]);
    },
  };
}
