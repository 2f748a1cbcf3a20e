import { Command } from 'commander';
import { playWholeMatch } from './whole-match.ts';

const program = new Command('test/soak/cli.ts whole')
  .description('Puts the demo of a whole match through the service.')
  .option('--rounds <number>', 'rounds to play; over 24 with overtime', Number, 30)
  .option('--seed <number>', 'the same seed gives the same match', Number, 1)
  .parse();
await playWholeMatch(program.opts(), (line) => void process.stdout.write(`${line}\n`));
