import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { takeLock } from '#render-host/machine/work-dir.ts';
import { backUp } from './backup.ts';
import { BUSY_STATUS, backupName, rotate } from './backups.ts';
import { checkUser } from './data-folder.ts';
import { runCommand } from './processes.ts';

const program = new Command('npm run backup --')
  .description(
    'Copies the data folder of a stack, also while it runs, and deletes backups that are not kept any more. npm run restore restores one.',
  )
  .option('--data <dir>', 'the folder of the stack', '.data')
  .requiredOption('--to <dir>', 'where backups lie: each is a folder in there, named by its time')
  .option('--leave <mib>', 'fail if the backup would leave less of the disk free', '1024')
  .action(async ({ data, to, leave }) => {
    await checkUser(data);
    await mkdir(to, { recursive: true, mode: 0o700 });
    const lock = takeLock(join(to, 'lock'));
    if (lock === null) {
      process.stderr.write('Another backup is being made.\n');
      process.exit(BUSY_STATUS);
    }
    const now = Date.now();
    await rotate(to, now);
    const folder = join(to, backupName(now));
    const { files, bytes, newBytes, pausedMs } = await backUp(data, folder, Number(leave) * 2 ** 20);
    const size = `${files} files, ${megabytes(bytes)} MB, ${megabytes(newBytes)} of them new`;
    console.log(`${folder}: ${size}; the service was paused for ${pausedMs.toFixed(0)} ms`);
  });

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

await runCommand(program, 'There is no backup: ');
