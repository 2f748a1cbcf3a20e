import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns the password of the game's console. It is kept in the host's folder, readable for this user alone, so that
 * the host can end a game that a crashed host left behind.
 */
export async function consolePassword(folder: string): Promise<string> {
  const path = join(folder, 'console-password');
  await mkdir(folder, { recursive: true });
  const fresh = randomBytes(16).toString('hex');
  await writeFile(path, fresh, { flag: 'wx', mode: 0o600 }).catch(() => {});
  const kept = await readFile(path, 'utf8');
  // An empty file means that a host was killed while it wrote.
  if (/^[0-9a-f]{32}$/.test(kept)) return kept;
  await writeFile(path, fresh);
  return fresh;
}
