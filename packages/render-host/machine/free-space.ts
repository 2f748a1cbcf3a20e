import { statfs } from 'node:fs/promises';

/** Bytes that this user may still write where a folder lies. */
export type FreeBytes = (folder: string) => Promise<number>;

export const freeBytes: FreeBytes = async (folder) => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};
