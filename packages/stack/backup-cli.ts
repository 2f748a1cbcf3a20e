import { join } from 'node:path';
import { Command } from 'commander';
import { reasonOf } from '#domain/reason.ts';
import { backUp } from './backup.ts';

const program = new Command('npm run backup --')
  .description('Copies the data folder of a stack, also while it runs. A start on the copy continues from that moment.')
  .option('--data <dir>', 'the folder of the stack', '.data')
  .requiredOption('--to <dir>', 'where backups lie: each is a folder in there, named by its time')
  .action(async ({ data, to }) => {
    const folder = join(to, new Date().toISOString().replaceAll(':', '-').slice(0, 19));
    const { files, bytes, pausedMs } = await backUp(data, folder);
    const size = `${files} files, ${(bytes / 1e6).toFixed(1)} MB`;
    console.log(`${folder}: ${size}; the service stood still for ${pausedMs.toFixed(0)} ms`);
  });

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`There is no backup: ${reasonOf(error)}\n`);
  process.exit(1);
}
