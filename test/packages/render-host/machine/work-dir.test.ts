import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { KEPT_DIR, openPrivateFolder, takeWorkPlace } from '#render-host/machine/work-dir.ts';

const MODULE = fileURLToPath(new URL('../../../../packages/render-host/machine/work-dir.ts', import.meta.url));
const JOB = '11111111-2222-4333-8444-555555555555.3';
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'work-dir-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
});

interface Owner {
  readonly child: ChildProcessByStdio<null, Readable, null>;
  readonly place: string;
}

/** Starts a process that takes a place and keeps it until it ends. */
async function startOwner(): Promise<Owner> {
  const script = `const { takeWorkPlace } = await import(${JSON.stringify(MODULE)});
    console.log((await takeWorkPlace(${JSON.stringify(root)})).path);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [place] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, place };
}

async function end({ child }: Owner): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

const mode = async (path: string) => (await stat(path)).mode & 0o777;

describe('the work folder', () => {
  it('has a place for each of many hosts that start at once', async () => {
    const owners = await Promise.all(Array.from({ length: 6 }, startOwner));
    expect(new Set(owners.map(({ place }) => place)).size).toBe(6);
  });

  it('keeps the files of the living, and loses those of the dead at the next start', async () => {
    const [living, dead] = [await startOwner(), await startOwner()];
    for (const { place } of [living, dead]) {
      for (const name of [JOB, KEPT_DIR]) await mkdir(join(place, name));
    }
    const early = await takeWorkPlace(root);
    expect(early.path).toBe(join(root, 'host-3'));
    expect(await readdir(dead.place)).toContain(JOB);
    early.release();
    await end(dead);
    const late = await takeWorkPlace(root);
    expect(late.path).toBe(dead.place);
    expect(await readdir(late.path)).toEqual(['lock']);
    expect(await readdir(living.place)).toEqual(expect.arrayContaining([JOB, KEPT_DIR]));
    late.release();
  });

  it('loses the files of every dead host, not only of the one whose place is taken', async () => {
    const owners = [await startOwner(), await startOwner()] as const;
    for (const owner of owners) {
      await mkdir(join(owner.place, JOB));
      await end(owner);
    }
    (await takeWorkPlace(root)).release();
    for (const { place } of owners) expect(await readdir(place)).toEqual(['lock']);
  });

  it('keeps everything else in it', async () => {
    await mkdir(join(root, 'host-1'));
    await mkdir(join(root, JOB));
    await writeFile(join(root, 'host-1', 'notes.txt'), 'mine');
    const place = await takeWorkPlace(root);
    expect((await readdir(place.path)).sort()).toEqual(['lock', 'notes.txt']);
    expect(await readdir(root)).toContain(JOB);
    place.release();
  });

  it('is entered by its user alone', async () => {
    const place = await takeWorkPlace(join(root, 'new'));
    expect([await mode(join(root, 'new')), await mode(place.path)]).toEqual([0o700, 0o700]);
    place.release();
  });

  it('takes no place behind a link', async () => {
    await symlink(tmpdir(), join(root, 'host-1'));
    await expect(takeWorkPlace(root)).rejects.toThrow(/host-1 is a link, not a folder/);
  });
});

describe('a private folder', () => {
  it('is closed to others when it was open', async () => {
    await chmod(root, 0o777);
    await openPrivateFolder(root);
    expect(await mode(root)).toBe(0o700);
  });

  it('is no file and no link', async () => {
    await writeFile(join(root, 'file'), '');
    await symlink(root, join(root, 'link'));
    await expect(openPrivateFolder(join(root, 'file'))).rejects.toThrow(/is a file, not a folder/);
    await expect(openPrivateFolder(join(root, 'link'))).rejects.toThrow(/is a link, not a folder/);
  });

  it('belongs to this user', async (context) => {
    if (process.getuid?.() !== 0) return context.skip('only root may give a folder to somebody else');
    await chown(root, 4711, 4711);
    await expect(openPrivateFolder(root)).rejects.toThrow(/belongs to another user \(4711\)/);
  });
});
