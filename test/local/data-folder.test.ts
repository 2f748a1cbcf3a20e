import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { loadAdminToken, loadCredentials } from '../../local/credentials.ts';
import { openDataFolder, upgradeDataFolder } from '../../local/data-folder.ts';
import { lockData } from '../../local/data-lock.ts';

/**
 * Data folders as each version of the stack left them. They are frozen: what a user has does not change with the code.
 */
const FROZEN = fileURLToPath(new URL('./data-folders/', import.meta.url));
const NOBODY = 'http://127.0.0.1:1';
let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'data-folder-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
});

/** As a start of the stack does, up to the service. */
async function open(): Promise<void> {
  await openDataFolder(dataDir);
  const lock = await lockData(dataDir);
  await upgradeDataFolder(dataDir);
  lock.release();
}

const mode = async () => (await stat(dataDir)).mode & 0o777;
const version = async () => JSON.parse(await readFile(join(dataDir, 'version.json'), 'utf8'));

describe('the data folder of a stack', () => {
  it.each(['1', '2'])('of version %s is read by this one', async (name) => {
    await cp(join(FROZEN, name), dataDir, { recursive: true });
    const kept = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'));
    await open();
    const adminToken = await loadAdminToken(dataDir);
    expect(adminToken).toBe(kept.admin_token);
    expect(await loadCredentials(dataDir, NOBODY, adminToken)).toEqual(kept);
    expect(await version()).toEqual({ v: 2 });
  });

  it('of version 1 whose first start was cut off keeps its token, and has its accounts still to come', async () => {
    await cp(join(FROZEN, '1-cut-off'), dataDir, { recursive: true });
    await open();
    const adminToken = await loadAdminToken(dataDir);
    expect(adminToken).toBe('frozen-admin-token-of-32-characters');
    await expect(loadCredentials(dataDir, NOBODY, adminToken)).rejects.toThrow('fetch failed');
  });

  it('of version 1 is closed to others, and loses what its hosts and its lock left there', async () => {
    await cp(join(FROZEN, '1'), dataDir, { recursive: true });
    await mkdir(join(dataDir, 'host-1'));
    await chmod(dataDir, 0o755);
    await open();
    expect(await mode()).toBe(0o700);
    expect((await readdir(dataDir)).sort()).toEqual(['credentials.json', 'lock', 'stack.json', 'version.json']);
  });

  it('is closed to others when it is new, but not when everybody writes to it', async () => {
    await open();
    expect(await mode()).toBe(0o700);
    expect(await version()).toEqual({ v: 2 });
    await rm(join(dataDir, 'version.json'));
    await chmod(dataDir, 0o777);
    await open();
    expect(await mode()).toBe(0o777);
  });

  it('of a newer version is refused and left as it is', async () => {
    await writeFile(join(dataDir, 'version.json'), '{"v":3}');
    await expect(openDataFolder(dataDir)).rejects.toThrow(
      /was written by a newer Tickreel \(version 3, and this one knows up to 2\)/,
    );
    expect(await readdir(dataDir)).toEqual(['version.json']);
  });

  it('that says nothing of its version is refused', async () => {
    await writeFile(join(dataDir, 'version.json'), 'two');
    await expect(openDataFolder(dataDir)).rejects.toThrow(/does not say which version/);
  });
});
