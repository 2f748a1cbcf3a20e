import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * What the game's console is to ask for. It is kept in the host's folder, for this user alone, so that the host that
 * follows a crashed one can end the game that was left behind.
 */
export async function consolePassword(folder: string): Promise<string> {
  const path = join(folder, 'console-password');
  await mkdir(folder, { recursive: true });
  const fresh = randomBytes(16).toString('hex');
  await writeFile(path, fresh, { flag: 'wx', mode: 0o600 }).catch(() => {});
  const kept = await readFile(path, 'utf8');
  // A host that was killed in between has left an empty file.
  if (/^[0-9a-f]{32}$/.test(kept)) return kept;
  await writeFile(path, fresh);
  return fresh;
}
