import { type ChildProcess, execFile } from 'node:child_process';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import type { BackupState } from '#protocol/operate/controls.ts';
import { runtimesOn } from './data-lock.ts';
import { PROJECT_ROOT } from './migrate.ts';

const BackupFiles = z.object({
  /** When the service was paused for it, in milliseconds since the epoch. */
  at: z.int(),
  /** `stamp`: of the file in the data folder (backup.ts, `Unit`). */
  files: z.record(z.string(), z.object({ bytes: z.int(), stamp: z.string().nullable() })),
});
/** The files of a whole backup. They are written to it last. */
export type BackupFiles = z.infer<typeof BackupFiles>;

/** The exit status of `npm run backup` while another one is being made. */
export const BUSY_STATUS = 75;
/** Has the files of a whole backup. */
export const BACKUP_FILE = 'backup.json';
/** The end of the name of a folder that is not whole. */
const PART = '.part';
const NAME = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)$/;

/** Returns the name of the backup of a moment, to the second. */
export const backupName = (at: number): string => new Date(at).toISOString().replaceAll(':', '-').slice(0, 19);

/** Returns the moment of a backup by its name; null for other names. */
function timeOf(name: string): number | null {
  return NAME.test(name) ? Date.parse(name.replace(NAME, '$1:$2:$3Z')) : null;
}

/** @throws an Error if the folder is no whole backup. */
export async function readBackupFiles(folder: string): Promise<BackupFiles> {
  try {
    return BackupFiles.parse(JSON.parse(await readFile(join(folder, BACKUP_FILE), 'utf8')));
  } catch {
    throw new Error(`${folder} is no whole backup: it has no ${BACKUP_FILE} that can be read`);
  }
}

/** Returns the moments of the backups in a folder, the newest first. */
export async function backupTimes(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch(() => []);
  return names.flatMap((name) => timeOf(name) ?? []).sort((a, b) => b - a);
}

/** Returns the newest backup in a folder; null if there is none. */
export async function newestBackup(folder: string): Promise<({ folder: string } & BackupFiles) | null> {
  for (const time of await backupTimes(folder)) {
    const path = join(folder, backupName(time));
    const files = await readBackupFiles(path).catch(() => null);
    if (files) return { folder: path, ...files };
  }
  return null;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/**
 * Returns the times of the backups that are no longer kept. All of the last two hours are kept, then the first of each
 * hour for a day, then the first of each day for two weeks. The newest is always kept.
 */
export function outdated(times: readonly number[], now: number): number[] {
  const sorted = times.toSorted((a, b) => a - b);
  const isFirst = (time: number, i: number, span: number) =>
    Math.floor((sorted[i - 1] ?? Number.NEGATIVE_INFINITY) / span) < Math.floor(time / span);
  return sorted.slice(0, -1).filter((time, i) => {
    const age = now - time;
    if (age <= 2 * HOUR) return false;
    if (age <= DAY) return !isFirst(time, i, HOUR);
    return age > 14 * DAY || !isFirst(time, i, DAY);
  });
}

/** Deletes outdated backups of a folder, and what interrupted ones left. */
export async function rotate(folder: string, now: number): Promise<void> {
  for (const name of outdated(await backupTimes(folder), now).map(backupName)) {
    // A backup that is half deleted must not look whole.
    await rename(join(folder, name), join(folder, name + PART));
  }
  const parts = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(PART));
  for (const name of parts) {
    if (timeOf(name.slice(0, -PART.length)) !== null) await rm(join(folder, name), { recursive: true, force: true });
  }
}

interface RegularBackups {
  readonly dataDir: string;
  /** The folder of backups. */
  readonly to: string;
  /** Mebibytes of the disk that each backup leaves free. */
  readonly leaveMib: number;
}

export interface Backups {
  state(): BackupState;
  /** Ends a backup that is being made. */
  stop(): Promise<void>;
}

const EVERY_MS = 10 * 60_000;

/**
 * Makes a backup now, unless there is one of the last ten minutes, and then each ten minutes. Each is a process of its
 * own, because checking databases would block this one. A failure is written to standard error.
 */
export async function startBackups({ dataDir, to, leaveMib }: RegularBackups): Promise<Backups> {
  const newest = async () => (await backupTimes(to))[0] ?? 0;
  let state: BackupState = { startedAt: Date.now(), doneAt: await newest(), error: null };
  let child: ChildProcess | null = null;
  const make = () => {
    if (child !== null) return;
    const args = ['--data', resolve(dataDir), '--to', resolve(to), '--leave', String(leaveMib)];
    const program = join(PROJECT_ROOT, 'packages/stack/backup-cli.ts');
    child = execFile(process.execPath, [program, ...args], async (error, _, stderr) => {
      child = null;
      // Somebody makes a backup by hand at this moment: that one counts.
      if (error?.killed || error?.code === BUSY_STATUS) return;
      state = { ...state, doneAt: await newest(), error: error === null ? null : stderr.trim() || error.message };
      if (state.error !== null) process.stderr.write(`${state.error}\n`);
    });
  };
  let timer = setTimeout(
    () => {
      make();
      timer = setInterval(make, EVERY_MS);
    },
    Math.max(0, Math.min(EVERY_MS, state.doneAt + EVERY_MS - Date.now())),
  );
  return {
    state: () => state,
    async stop() {
      clearTimeout(timer);
      if (child === null) return;
      const ended = new Promise((done) => child?.once('exit', done));
      child.kill('SIGKILL');
      await ended;
      for (const pid of await runtimesOn(dataDir)) process.kill(pid, 'SIGCONT');
    },
  };
}
