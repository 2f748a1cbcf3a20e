import { Command, InvalidArgumentError } from 'commander';
import { createSampleMatch, truthOf, writeDemoFile } from './index.ts';

/** Writes a sample demo to a file: `node test/demo-writer/cli.ts OUT.dem [--rounds N] [--seed S]`. */

function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < least)
      throw new InvalidArgumentError(`Give a whole number from ${least}.`);
    return value;
  };
}

interface Options {
  readonly rounds: number;
  readonly seed: number;
  readonly heavy: boolean;
}

const command = new Command('demo-writer')
  .description('Write a true Counter-Strike 2 demo of a made-up match.')
  .argument('<file>', 'where to write it, compressed if its name ends in .zst; a file that is there is replaced')
  .option('--rounds <count>', 'rounds to play; over 24 with overtime', wholeNumber(1), 3)
  .option('--seed <number>', 'the same seed gives the same file', wholeNumber(0), 1)
  .option('--heavy', 'as many bytes and changes a tick as a real recording has: 8 MB a round', false)
  .action(async (file: string, { rounds, seed, heavy }: Options) => {
    const match = createSampleMatch({ rounds, seed });
    const { sizeBytes, ticks } = await writeDemoFile(match, file, { isHeavy: heavy });
    const kills = truthOf(match).kills.filter(({ warmup }) => !warmup).length;
    process.stdout.write(
      `${file}: ${(sizeBytes / 1e6).toFixed(1)} MB, ${ticks} ticks, ${rounds} rounds, ${kills} kills\n`,
    );
  });

// The reader of the output closed the pipe, as `head` does.
process.stdout.on('error', () => process.exit());
try {
  await command.parseAsync();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
