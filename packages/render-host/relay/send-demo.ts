import { createHash } from 'node:crypto';
import { constants, fstatSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { SendOptions, Upload } from '#client/index.ts';
import { cleanName } from '#domain/clean-text.ts';
import type { RelayedDemo, RelayOptions } from './run-relay.ts';

/** Sends a demo, or the parts of it that the service lacks. The file is opened once, and never through a link. */
export async function sendDemo(relay: RelayOptions & SendOptions, name: string, demo: RelayedDemo): Promise<Upload> {
  const { dir, tag, uploads, state, signal, onProgress } = relay;
  const { size, mtimeMs, facts } = demo;
  // Opening a pipe without O_NONBLOCK waits for its writer.
  const file = await open(join(dir, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const requireSame = (isWhole: boolean) => {
    const found = fstatSync(file.fd);
    if (isWhole && found.isFile() && found.size === size && found.mtimeMs === mtimeMs) return;
    throw new Error('the demo changed while it was read');
  };
  const slice = (from = 0, to = size, type = '') => {
    const part = new Uint8Array(to - from);
    requireSame(readSync(file.fd, part, 0, part.length, from) === part.length);
    return new Blob([part], { type });
  };
  try {
    let { sha256 } = demo;
    if (sha256 === undefined) {
      const hash = createHash('sha256');
      await pipeline(file.createReadStream({ start: 0, autoClose: false, highWaterMark: 1 << 20 }), hash, { signal });
      sha256 = hash.digest('hex');
    }
    requireSame(true);
    if (demo.sha256 === undefined) state.put(name, { ...demo, sha256 });
    const sent = { name: cleanName(name, 200), content: { size, slice }, sha256, tag, facts };
    return await uploads.send(sent, { signal, onProgress });
  } finally {
    await file.close();
  }
}
