import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { takeLock } from '#render-host/machine/work-dir.ts';
import { backUp } from '#stack/backup.ts';
import { BUSY_STATUS, backupName, backupTimes, outdated, readBackupFiles, rotate } from '#stack/backups.ts';
import { checkUser } from '#stack/data-folder.ts';
import { lockData } from '#stack/data-lock.ts';
import { listLosses } from '#stack/list-losses.ts';
import { PROJECT_ROOT } from '#stack/migrate.ts';
import { restore } from '#stack/restore.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const T0 = Date.parse('2026-05-04T18:00:00Z');
const LONG_AGO = new Date(T0);

describe('the backups that are kept', () => {
  /** Backs up at each time, and rotates before each. */
  const keptOf = (times: readonly number[]) =>
    times.reduce<number[]>((kept, now) => {
      const gone = new Set(outdated(kept, now));
      return [...kept.filter((time) => !gone.has(time)), now];
    }, []);

  it('are all of two hours, one an hour of a day, one a day of two weeks, however far apart they are made', () => {
    const gap = fc.oneof(fc.constant(10 * MINUTE), fc.integer({ min: 1000, max: 50 * MINUTE }));
    fc.assert(
      fc.property(
        fc.array(gap, { minLength: 100, maxLength: 500 }),
        fc.nat(1e7),
        fc.integer({ min: 0, max: 15 * DAY }),
        (gaps, start, back) => {
          const times: number[] = [];
          for (const next of gaps) times.push((times.at(-1) ?? T0 + start) + next);
          const now = times.at(-1) ?? 0;
          const kept = keptOf(times);
          expect(kept.at(-1)).toBe(now);
          expect(kept.filter((time) => time >= now - 2 * HOUR)).toEqual(times.filter((time) => time >= now - 2 * HOUR));
          // For each moment that a backup was made at, there is one of the hour before, or of the day before.
          const moment = times.findLast((time) => time <= now - back);
          if (moment === undefined) return;
          const span = now - moment <= DAY - HOUR ? HOUR : DAY;
          expect(kept.some((time) => time <= moment && Math.floor(time / span) === Math.floor(moment / span))).toBe(
            true,
          );
          expect(kept.length).toBeLessThan(times.filter((time) => time >= now - 2 * HOUR).length + 25 + 16);
          // Nothing more goes until something is made.
          expect(outdated(kept, now)).toEqual([]);
        },
      ),
    );
  });

  it('are some fifty after a month of one each ten minutes, and the newest after a year without one', () => {
    const month = Array.from({ length: 30 * 144 }, (_, i) => T0 + i * 10 * MINUTE);
    const kept = keptOf(month);
    expect(kept.length).toBeGreaterThan(45);
    expect(kept.length).toBeLessThan(55);
    expect(outdated(kept, T0 + 365 * DAY)).toEqual(kept.slice(0, -1));
    expect(outdated([T0 + DAY, T0], T0 - DAY)).toEqual([]);
  });
});

describe('a backup', () => {
  let folder: string;
  let data: string;
  const object = `objects/-RenderJob/${'a'.repeat(64)}.sqlite`;
  const blob = 'r2/clips/blobs/one';

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backups-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    data = join(folder, 'data');
    for (const path of ['objects/-RenderJob', 'r2/clips/blobs']) await mkdir(join(data, path), { recursive: true });
    await writeFile(join(data, 'version.json'), '{"v":1,"fenceFloor":7}');
    await writeFile(join(data, blob), 'a clip');
    write('CREATE TABLE job (state TEXT)');
    await age();
  });

  function write(sql: string): void {
    const database = new DatabaseSync(join(data, object));
    database.exec(`PRAGMA journal_mode = WAL; ${sql}`);
    database.close();
  }
  /** Makes files of the data folder look as if they were written long ago. */
  const age = () => Promise.all([object, blob].map((path) => utimes(join(data, path), LONG_AGO, LONG_AGO)));
  const make = async (at: number) => {
    const to = join(folder, 'backups', backupName(at));
    return { to, ...(await backUp(data, to)) };
  };
  const inode = async (path: string) => (await stat(path)).ino;

  it('has what is unchanged as links to the one before, and never the same file as the data', async () => {
    const [first, second] = [await make(T0), await make(T0 + 1000)];
    expect(first.newBytes).toBe(first.bytes);
    expect(second).toMatchObject({ files: 3, bytes: first.bytes });
    for (const path of [object, blob]) {
      expect(await inode(join(second.to, path))).toBe(await inode(join(first.to, path)));
      expect(await inode(join(second.to, path))).not.toBe(await inode(join(data, path)));
    }
    write("INSERT INTO job VALUES ('new')");
    await rm(join(data, blob));
    const third = await make(T0 + 2000);
    expect(await inode(join(third.to, object))).not.toBe(await inode(join(first.to, object)));
    expect(Object.keys((await readBackupFiles(third.to)).files).sort()).toEqual([object, 'version.json']);
    expect(await readFile(join(first.to, blob), 'utf8')).toBe('a clip');
  });

  it('copies again what was written within a tick of the clock, or is damaged in the one before', async () => {
    const first = await make(T0);
    await writeFile(join(data, blob), 'A CLIP');
    const second = await make(T0 + 1000);
    expect(await readFile(join(second.to, blob), 'utf8')).toBe('A CLIP');
    await writeFile(join(data, blob), 'a CLIP');
    const third = await make(T0 + 2000);
    expect(await readFile(join(third.to, blob), 'utf8')).toBe('a CLIP');
    await age();
    const fourth = await make(T0 + 3000);
    await writeFile(join(fourth.to, blob), 'broken');
    await writeFile(join(fourth.to, blob), 'cut');
    expect(await readFile(join((await make(T0 + 4000)).to, blob), 'utf8')).toBe('a CLIP');
    expect(await readFile(join(first.to, blob), 'utf8')).toBe('a clip');
  });

  it('of a database that is broken, or for which there is no room, is none', async () => {
    await expect(backUp(data, join(folder, 'full'), 2 ** 60)).rejects.toThrow('MiB of the disk free');
    await writeFile(join(data, object), 'nothing of SQLite');
    await expect(make(T0)).rejects.toThrow('not a database');
    expect(await readdir(join(folder, 'backups'))).toEqual([]);
    await expect(readdir(join(folder, 'full.part'))).rejects.toThrow('ENOENT');
  });

  it('is not made by two at once, nor by root for another user', async () => {
    const to = join(folder, 'backups');
    await mkdir(to);
    const lock = takeLock(join(to, 'lock'));
    const program = ['packages/stack/backup-cli.ts', '--data', data, '--to', to, '--leave', '1'];
    const child = spawn(process.execPath, program, { cwd: PROJECT_ROOT });
    expect(await once(child, 'exit')).toEqual([BUSY_STATUS, null]);
    lock?.release();
    if (process.getuid?.() === 0) await chown(data, 1000, 1000);
    await expect(checkUser(data, 0)).rejects.toThrow("run this as its owner, by sudo -u '#");
    await checkUser(data, 1000);
  });

  it('that is outdated or was interrupted is deleted, and nothing else', async () => {
    const { to } = await make(T0);
    const [, kept] = [await make(T0 + HOUR), await make(T0 + 15 * DAY)];
    await mkdir(join(folder, 'backups', `${backupName(T0 + 5000)}.part`));
    await mkdir(join(folder, 'backups', 'mine.part'));
    await rotate(join(folder, 'backups'), T0 + 15 * DAY);
    expect((await readdir(join(folder, 'backups'))).sort()).toEqual([backupName(T0 + 15 * DAY), 'mine.part']);
    expect(await backupTimes(join(folder, 'backups'))).toEqual([T0 + 15 * DAY]);
    expect(await readFile(join(kept.to, blob), 'utf8')).toBe('a clip');
    await expect(stat(to)).rejects.toThrow('ENOENT');
  });

  it('is restored only to an empty place, or moves aside what is there, and only if it is whole', async () => {
    const { to } = await make(T0);
    const target = join(folder, 'restored');
    await expect(restore(to, data, false)).rejects.toThrow('is not empty: --replace moves it aside');
    const lock = await lockData(data);
    await expect(restore(to, data, true)).rejects.toThrow('A stack already runs');
    lock.release();
    await expect(restore(data, target, false)).rejects.toThrow('is no whole backup');
    await expect(backUp(to, join(folder, 'again'))).rejects.toThrow('is a backup. Restore it');

    const damaged = join(folder, 'damaged');
    const break_ = async (path: string, how: (at: string) => Promise<void>) => {
      await rm(damaged, { recursive: true, force: true });
      for (const name of ['backup.json', ...Object.keys((await readBackupFiles(to)).files)]) {
        await mkdir(join(damaged, name, '..'), { recursive: true });
        await copyFile(join(to, name), join(damaged, name));
      }
      await how(join(damaged, path));
      return restore(damaged, target, false);
    };
    await expect(break_(blob, rm)).rejects.toThrow('one is missing or does not have 6 bytes');
    const scribble = async (at: string) => writeFile(at, Buffer.alloc((await stat(at)).size, 1));
    await expect(break_(object, scribble)).rejects.toThrow('not a database');
    await expect(break_('version.json', (at) => writeFile(at, '{"v":9,"fenceFloor":7}'))).rejects.toThrow(
      'newer Tickreel',
    );
    expect((await readdir(folder)).filter((name) => name.startsWith('restored'))).toEqual([]);

    await writeFile(join(data, 'version.json'), JSON.stringify({ v: 1, fenceFloor: Date.now() + DAY }));
    const { movedTo } = await restore(to, data, true);
    expect(await readFile(join(movedTo ?? '', blob), 'utf8')).toBe('a clip');
    expect(await readFile(join(data, blob), 'utf8')).toBe('a clip');
    expect(await inode(join(data, blob))).not.toBe(await inode(join(to, blob)));
    // Above the floor of the folder that was there, whose clock was ahead.
    const { fenceFloor } = JSON.parse(await readFile(join(data, 'version.json'), 'utf8'));
    expect(fenceFloor).toBeGreaterThan(Date.now() + DAY);
  });

  it('is compared with an old folder that cannot be read in part', async () => {
    const { to } = await make(T0);
    await writeFile(join(data, object), 'nothing of SQLite, and of another length');
    const losses: unknown[] = [];
    for await (const loss of listLosses(to, data)) losses.push(loss);
    expect(losses).toEqual([
      { kind: 'files', id: object, change: 'unreadable', facts: { reason: expect.any(String) } },
    ]);
    expect((await readdir(join(to, 'objects/-RenderJob'))).length).toBe(1);
  });
});
