import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { backupName, readBackupFiles } from './backups.ts';
import { checkDatabase, checkUser, openDataFolder, raiseFences } from './data-folder.ts';
import { lockData } from './data-lock.ts';

export interface RestoreReport {
  /** When the backup was made, in milliseconds since the epoch. */
  readonly at: number;
  /** Where the folder is that was in the place; null if there was none. */
  readonly movedTo: string | null;
}

/**
 * Copies a backup to the place of a data folder, which must be empty or is moved aside if `replaces`. Checks the copy
 * first: all files are there, this version can read them, no database is broken. The next start grants fences above all
 * earlier ones.
 *
 * @throws an Error if the backup cannot be used, a stack runs on the data folder, or root restores another user's
 * folder; then nothing has changed.
 */
export async function restore(backup: string, dataDir: string, replaces: boolean): Promise<RestoreReport> {
  const { at, files } = await readBackupFiles(backup);
  const isEmpty = (await readdir(dataDir).catch(() => [])).length === 0;
  if (!isEmpty && !replaces) throw new Error(`${dataDir} is not empty: --replace moves it aside`);
  const above = dirname(resolve(dataDir));
  await mkdir(above, { recursive: true, mode: 0o700 });
  await checkUser(isEmpty ? above : dataDir);
  // Also ends a runtime that a killed stack left there.
  const lock = isEmpty ? null : await lockData(dataDir);
  const part = `${resolve(dataDir)}.part`;
  try {
    await rm(part, { recursive: true, force: true });
    await mkdir(part, { recursive: true, mode: 0o700 });
    for (const [name, { bytes }] of Object.entries(files)) {
      const [from, to] = [join(backup, name), join(part, name)];
      if ((await stat(from).catch(() => null))?.size !== bytes)
        throw new Error(`${from} is missing or does not have ${bytes} bytes`);
      await mkdir(dirname(to), { recursive: true, mode: 0o700 });
      await copyFile(from, to, constants.COPYFILE_FICLONE);
      if (name.endsWith('.sqlite')) checkDatabase(to);
    }
    await openDataFolder(part);
    await raiseFences(part, isEmpty ? null : dataDir);
    const movedTo = isEmpty ? null : `${resolve(dataDir)}.before-${backupName(Date.now())}`;
    if (movedTo === null) await rm(dataDir, { recursive: true, force: true });
    else await rename(dataDir, movedTo);
    await rename(part, dataDir);
    return { at, movedTo };
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw error;
  } finally {
    lock?.release();
  }
}
