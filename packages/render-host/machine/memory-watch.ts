import { readFile } from 'node:fs/promises';

const LOOK_MS = 100;

/**
 * Calls `onOver` once a process holds more than `limit` bytes, shared libraries and buffers outside of its heap too.
 * It is looked at ten times a second, so it may get over the limit by what it takes in that time. Returns what ends
 * the watch. Only Linux tells: elsewhere nothing is called.
 */
export function watchMemory(pid: number | undefined, limit: number, onOver: (bytes: number) => void): () => void {
  const timer = setInterval(async () => {
    const bytes = await residentBytes(pid);
    if (bytes > limit) onOver(bytes);
  }, LOOK_MS);
  return () => clearInterval(timer);
}

/** 0 for a process that is gone. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
