import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { reasonOf } from '#domain/reason.ts';
import { deploy } from './setup/deploy.ts';
import { FOLDER_OPTION, PRODUCTION } from './setup/deployment.ts';

const program = new Command('npm run deploy --')
  .description('Updates a deployment: its database and buckets, its migrations, then the Worker.')
  .option('--env <name>', 'which deployment', PRODUCTION)
  .option('--dry-run', 'show what exists and what would be done, and change nothing', false)
  .option(...FOLDER_OPTION)
  .option('--adopt', 'use an existing database, buckets and Worker of these names', false)
  .option('--take-over', "replace another Worker's domain, or DNS records, at the address", false)
  .option(
    '--secret <name>',
    'set a secret in the same version; reads its value from a line of standard input; can be repeated',
    (name: string, names: readonly string[]) => [...names, name],
    [] as readonly string[],
  )
  .action(async ({ env, dryRun, adopt, takeOver, secret, folder }) => {
    const names: readonly string[] = secret;
    const lines = names.length === 0 ? [] : (await text(process.stdin)).split('\n').map((line) => line.trim());
    const unset = names.find((_, i) => !lines[i]);
    if (unset !== undefined) throw new Error(`--secret ${unset}: standard input has no line with its value`);
    const givenSecrets = Object.fromEntries(names.map((name, i) => [name, lines[i] ?? '']));
    const say = (line: string) => console.log(line);
    await deploy({ env, isDry: dryRun, adopt, takeOver, say, isShown: true, givenSecrets, folder });
  });

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`\n  ${reasonOf(error)}\n`);
  process.exit(1);
}
