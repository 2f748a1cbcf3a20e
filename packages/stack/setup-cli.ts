import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { reasonOf } from '#domain/reason.ts';
import { FOLDER_OPTION, PRODUCTION } from './setup/deployment.ts';
import { destroy } from './setup/destroy.ts';
import { type SetupQuestion, setUp } from './setup/setup.ts';

const QUESTIONS: Record<SetupQuestion, string> = {
  name: 'Its name at Cloudflare, for the Worker, the database and the buckets',
  url: 'Its public address, such as https://clips.your-domain.dev or https://NAME.SUBDOMAIN.workers.dev',
  'demo-domains': 'Domains that demos may come from, separated by spaces; * for any',
  jurisdiction: 'Where data must stay, unchangeable later: eu, fedramp, us, or empty for anywhere',
  location:
    'The region nearest to most hosts and clients, unchangeable later: wnam, enam, weur, eeur, apac, oc, or empty for near you',
};

const program = new Command('npm run setup --')
  .description('Deploys Tickreel to Cloudflare, and creates an account with keys, a token for a host, and one clip.')
  .option('--env <name>', 'which deployment: staging is a separate one', PRODUCTION)
  .option('--dry-run', 'show what exists and what would be done, and change nothing', false)
  .option('--adopt', 'use an existing database, buckets and Worker of these names', false)
  .option('--take-over', "replace another Worker's domain, or DNS records, at the address", false)
  .option('--destroy [name]', 'remove a deployment; asks for its name unless it is given')
  .option('--with-buckets', 'with --destroy: also remove the buckets with all files', false)
  .option(...FOLDER_OPTION);
for (const [name, question] of Object.entries(QUESTIONS)) program.option(`--${name} <text>`, question);

interface Flags {
  readonly env: string;
  readonly dryRun: boolean;
  readonly adopt: boolean;
  readonly takeOver: boolean;
  /** True without a name. */
  readonly destroy?: string | true;
  readonly withBuckets: boolean;
  readonly folder?: string;
}

program.action(async ({ destroy: doomed, withBuckets, ...flags }: Record<string, string> & Flags) => {
  const { env, dryRun: isDry, adopt, takeOver, folder, ...given } = flags;
  const say = (line: string) => console.log(line);
  const known: Record<string, string | undefined> = { ...given, 'demo-domains': given.demoDomains };
  const terminal = process.stdin.isTTY ? createInterface({ input: process.stdin, output: process.stderr }) : null;
  const ask = async (what: SetupQuestion, preset: string | undefined) => {
    const option = known[what];
    if (option !== undefined) return option;
    if (terminal === null && preset === undefined) throw new Error(`--${what} is missing: ${QUESTIONS[what]}`);
    const answer = await terminal?.question(`${QUESTIONS[what]}${preset ? ` [${preset}]` : ''}: `);
    return answer?.trim() || (preset ?? '');
  };
  const confirm = async () => {
    if (typeof doomed === 'string') return doomed;
    if (terminal === null) throw new Error('Without a terminal, --destroy must be followed by the name.');
    return (await terminal.question('This cannot be undone. Its name at Cloudflare: ')).trim();
  };
  const work = doomed
    ? destroy({ env, isDry, say, confirm, buckets: withBuckets, adopt, folder })
    : setUp({ env, isDry, adopt, takeOver, ask, say, folder });
  await work.finally(() => terminal?.close());
});

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`\n  ${reasonOf(error)}\n  Completed steps stay. Fix this and run the command again.\n`);
  process.exit(1);
}
