import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

/** Of how the folder is laid out and what its files hold; the service's own stores carry versions of their own. */
const Version = z.object({ v: z.int().min(1) });
const FILE = 'version.json';
const CURRENT = 2;
/** What the first version had for a lock. */
export const FIRST_LOCK = 'stack.lock';

/** What leads from each version to the next. Each may have been cut off half way: it is then run again. */
const UPGRADES: Readonly<Record<number, (dataDir: string) => Promise<void>>> = { 1: fromFirst };

/**
 * Makes the folder, or looks at the one that is there, and changes nothing in it.
 * Throws an Error when it was written by a newer Tickreel.
 */
export async function openDataFolder(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const v = await versionOf(dataDir);
  if (v <= CURRENT) return;
  const versions = `version ${v}, and this one knows up to ${CURRENT}`;
  throw new Error(`${dataDir} was written by a newer Tickreel (${versions}). Use that one, or another folder.`);
}

/** Brings the folder up to date. Only for whoever holds its lock. */
export async function upgradeDataFolder(dataDir: string): Promise<void> {
  for (let v = await versionOf(dataDir); v < CURRENT; v++) {
    await UPGRADES[v]?.(dataDir);
    const path = join(dataDir, FILE);
    await writeFile(`${path}.new`, JSON.stringify({ v: v + 1 } satisfies z.infer<typeof Version>));
    await rename(`${path}.new`, path);
  }
}

/** The first version kept no number, and a new folder has nothing that would need another one. */
async function versionOf(dataDir: string): Promise<number> {
  const path = join(dataDir, FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 1;
    throw error;
  }
  try {
    return Version.parse(JSON.parse(text)).v;
  } catch {
    throw new Error(`${path} does not say which version the folder has. It was not written by Tickreel.`);
  }
}

/**
 * Others could read the folder, hosts had their folders side by side with the service's, and the lock was a file's
 * being there.
 */
async function fromFirst(dataDir: string): Promise<void> {
  const { mode } = await stat(dataDir);
  // A folder that everybody writes to, such as /tmp, is not ours to close.
  if ((mode & 0o002) === 0) await chmod(dataDir, 0o700);
  const old = (await readdir(dataDir)).filter((name) => name === FIRST_LOCK || /^host-\d+$/.test(name));
  await Promise.all(old.map((name) => rm(join(dataDir, name), { recursive: true, force: true })));
}
