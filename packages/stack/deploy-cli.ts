import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Command } from 'commander';
import { reasonOf } from '#domain/reason.ts';
import { deploy } from './setup/deploy.ts';
import { PRODUCTION } from './setup/deployment.ts';
import { readSecrets } from './setup/setting-faults.ts';

const program = new Command('npm run deploy --')
  .description('Updates a deployment: its database and buckets, its migrations, then the Worker.')
  .option('--env <name>', 'which deployment', PRODUCTION)
  .option('--dry-run', 'look at what is there and say what would be done', false)
  .option('--adopt', 'use a database, buckets and a Worker of these names that are there already', false)
  .option('--take-over', "replace another Worker's domain, or DNS records, at the address", false)
  .option(
    '--secret <name>',
    'a secret to set in the same version, its value a line of standard input; can be repeated',
    (name: string, names: readonly string[]) => [...names, name],
    [] as readonly string[],
  )
  .action(async ({ env, dryRun, adopt, takeOver, secret: names }) => {
    const givenSecrets = await readSecrets(names, linesOfInput(names));
    const say = (line: string) => console.log(line);
    await deploy({ env, isDry: dryRun, adopt, takeOver, say, isShown: true, givenSecrets });
  });

/** Yields the lines of standard input. A terminal gets the names, and shows nothing of what is typed. */
async function* linesOfInput(names: readonly string[]): AsyncGenerator<string> {
  const terminal = process.stdin.isTTY;
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  if (terminal) process.stderr.write(`A line each, which is not shown: ${names.join(', ')}\n`);
  yield* createInterface({ input: process.stdin, output, terminal });
}

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`\n  ${reasonOf(error)}\n`);
  process.exit(1);
}
