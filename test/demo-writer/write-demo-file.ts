import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { constants, zstdCompressSync } from 'node:zlib';
import { type DemoSummary, demoChunks } from './format/demo.ts';
import type { RecordingOptions } from './format/recording.ts';
import type { ScriptedMatch } from './script/scripted-match.ts';

/** Bytes that are collected for a write, because a write for each tick costs more than making the tick. */
const WRITE_BYTES = 1 << 20;
/** A sixth smaller than at the default level. */
const SMALLEST = { params: { [constants.ZSTD_c_compressionLevel]: 19 } };

/**
 * Writes a demo of any length to a file, in bounded memory. Writes a temporary file and renames it, so that the path
 * never holds a partial demo. Replaces an existing file. A demo whose path ends in `.zst` is compressed, in memory.
 */
export async function writeDemoFile(
  match: ScriptedMatch,
  path: string,
  options: RecordingOptions = {},
): Promise<DemoSummary> {
  const part = `${path}.${crypto.randomUUID()}.part`;
  const file = await open(part, 'w');
  try {
    const chunks = demoChunks(match, options);
    let pending: Uint8Array[] = [];
    let pendingBytes = 0;
    for (;;) {
      const step = chunks.next();
      if (step.done !== true) {
        pending.push(step.value);
        pendingBytes += step.value.length;
      }
      if (step.done === true || pendingBytes >= WRITE_BYTES) {
        await file.writeFile(Buffer.concat(pending));
        pending = [];
        pendingBytes = 0;
      }
      if (step.done === true) {
        await file.write(step.value.start, 0, step.value.start.length, 0);
        if (path.endsWith('.zst')) await writeFile(part, zstdCompressSync(await readFile(part), SMALLEST));
        await rename(part, path);
        return step.value;
      }
    }
  } finally {
    await file.close();
    await rm(part, { force: true });
  }
}
