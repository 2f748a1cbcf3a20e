import { Command } from 'commander';
import { listLosses } from './list-losses.ts';
import { runCommand } from './processes.ts';
import { restore } from './restore.ts';

const program = new Command('npm run restore --')
  .description(
    'Restores a backup of a stack, and lists what came after it as JSON lines, if an old folder can still be read. Without --data it only lists.',
  )
  .argument('<backup>', 'a folder that npm run backup has made')
  .option('--data <dir>', 'the folder to restore')
  .option('--replace', 'move a folder that is there aside')
  .option('--compare <dir>', 'an old folder; by default the one that was moved aside')
  .option('--files <dir>', 'also write the restored files of the buckets here by their keys, to upload them elsewhere')
  .action(async (backup, { data, replace = false, compare, files }) => {
    if (data === undefined && (compare === undefined || replace || files !== undefined))
      throw new Error('it needs --data; with --compare alone it only lists');
    const report = data === undefined ? null : await restore(backup, data, replace);
    if (report) process.stderr.write(`${data} is as of ${new Date(report.at).toISOString()}.\n`);
    if (report?.movedTo) process.stderr.write(`What was there is in ${report.movedTo}.\n`);
    if (files !== undefined) {
      // Imported only here, because it imports the runtime.
      const { exportFiles } = await import('./service.ts');
      await exportFiles(data, files);
    }
    const old = compare ?? report?.movedTo;
    if (old) for await (const loss of listLosses(backup, old)) console.log(JSON.stringify(loss));
  });

await runCommand(program, 'npm run restore failed: ');
