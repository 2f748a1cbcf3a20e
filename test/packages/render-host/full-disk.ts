import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/**
 * Mounts a file system of `bytes` until the test ends; null if this user or platform cannot. A real full disk, because
 * quotas and faked errors are reported in other ways, by other calls.
 */
export function smallDisk(bytes: number): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tickreel-test', folder], { stdio: 'ignore' });
  } catch {
    rmdirSync(folder);
    return null;
  }
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', folder]);
    rmdirSync(folder);
  });
  return folder;
}
