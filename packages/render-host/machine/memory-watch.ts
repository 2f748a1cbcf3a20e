import { readFile } from 'node:fs/promises';

const LOOK_MS = 100;

/**
 * Calls `onOver` once a process uses more than `limit` bytes, including shared libraries and buffers outside of its
 * heap. Checks ten times a second, so the process may exceed the limit by what it allocates in that time. Returns a
 * function that ends the watch. Works on Linux only.
 */
export function watchMemory(pid: number | undefined, limit: number, onOver: (bytes: number) => void): () => void {
  const timer = setInterval(async () => {
    const bytes = await residentBytes(pid);
    if (bytes > limit) onOver(bytes);
  }, LOOK_MS);
  return () => clearInterval(timer);
}

/** Returns 0 for a process that has ended. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
