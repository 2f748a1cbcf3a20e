import { type FileHandle, open } from 'node:fs/promises';
import { reasonOf } from '#domain/reason.ts';

/** The file could not be written: an error of this machine, not of the network. */
export class WriteFailed extends Error {}

export interface DownloadFile {
  /** Writes the bytes at `position`. */
  write(bytes: Buffer, position: number): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/** Opens a file to download into, and empties it. This and each method except `close` throw `WriteFailed`. */
export async function openDemoFile(path: string): Promise<DownloadFile> {
  const file: FileHandle = await writing(() => open(path, 'w'));
  return {
    async write(bytes, position) {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await writing(() => file.write(bytes, done, bytes.length - done, position + done));
        done += bytesWritten;
      }
    },
    truncate: (length) => writing(() => file.truncate(length)),
    close: () => file.close(),
  };
}

async function writing<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw new WriteFailed(reasonOf(error));
  }
}
