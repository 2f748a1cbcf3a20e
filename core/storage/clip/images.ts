/**
 * The bucket of uploaded images, which `MEDIA_BASE_URL` does not serve. Older images may be beside the clips; they are
 * found and deleted there too.
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
