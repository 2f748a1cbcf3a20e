import { type ChildProcess, execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { BackupState } from '#protocol/disk-state.ts';
import { BUSY_STATUS, backupTimes } from './backups.ts';
import { runtimesOn } from './data-lock.ts';
import { PROJECT_ROOT } from './project-root.ts';

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
