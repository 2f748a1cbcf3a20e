import { chmod, lstat, mkdir } from 'node:fs/promises';

/**
 * Makes a folder that only this user can enter, or checks an existing one: in a shared temporary folder, another user
 * may have made a link or a folder of that name.
 *
 * @throws an Error with a text for the operator if it is not a folder, or not this user's.
 */
export async function openPrivateFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
  const found = await lstat(path);
  if (!found.isDirectory()) {
    throw new Error(`${path} is ${found.isSymbolicLink() ? 'a link' : 'a file'}, not a folder: remove it.`);
  }
  const me = process.getuid?.();
  if (me !== undefined && found.uid !== me) {
    throw new Error(`The folder ${path} belongs to another user (${found.uid}): remove it, or choose another.`);
  }
  if ((found.mode & 0o077) !== 0) await chmod(path, 0o700);
}
