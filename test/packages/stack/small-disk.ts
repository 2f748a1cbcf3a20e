import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Mounts a small file system; null if this process may not. In CI it may. `onEnd` gets what undoes it. */
export async function smallDisk(
  mib: number,
  onEnd: (undo: () => Promise<void> | void) => void,
): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'disk-full-'));
  onEnd(() => rm(folder, { recursive: true, force: true }));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch (error) {
    if (process.env.CI) throw error;
    return null;
  }
  onEnd(() => void execFileSync('umount', ['--lazy', folder]));
  return folder;
}
