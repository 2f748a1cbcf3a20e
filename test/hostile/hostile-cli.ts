import { Command, InvalidArgumentError } from 'commander';
import { runArchives } from './run-archives.ts';
import { runDemos } from './run-demos.ts';

const number = (text: string): number => {
  const value = Number(text);
  if (!(value >= 0)) throw new InvalidArgumentError('It must be a number.');
  return value;
};

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const end = (isWell: boolean): never => process.exit(isWell ? 0 : 1);

const program = new Command('test/soak/cli.ts').description(
  'Sends recordings and archives made to break a render host through it, and prints what they come to.',
);

program
  .command('archives')
  .description('every hostile archive, with how long it takes')
  .action(async () => end(await runArchives(say)));

program
  .command('demos')
  .description('crafted recordings, and ones changed at random')
  .option('--mutated <count>', 'how many are changed at random', number, 1000)
  .option('--seed <number>', 'repeats an earlier run', number, 1)
  .option('--max-minutes <number>', 'stop after so long', number, 60)
  .option('--no-crafted', 'leave the crafted ones out')
  .action(async (options: { mutated: number; seed: number; maxMinutes: number; crafted: boolean }) =>
    end(await runDemos({ ...options, say })),
  );

await program.parseAsync();
