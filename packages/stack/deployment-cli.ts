import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { deploy, destroy } from './deploy.ts';
import { doctor } from './doctor.ts';
import { runCommand } from './processes.ts';
import { QUESTIONS, setUp } from './setup.ts';

const say = (line: string) => console.log(line);
const program = new Command('npm run');
const command = (name: string, description: string) =>
  program
    .command(name)
    .usage('-- [options]')
    .description(description)
    .option('--env <name>', 'which deployment: staging is a separate one', 'production')
    .option('--folder <dir>', "the folder of the deployment's files; default: this checkout");
const changing = (name: string, description: string) =>
  command(name, description)
    .option('--dry-run', 'show what would be done, and change nothing', false)
    .option('--adopt', 'use an existing database, buckets and Worker of these names', false)
    .option('--take-over', "replace another Worker's domain, or DNS records, at the address", false);

const setup = changing('setup', 'Deploys Tickreel to Cloudflare, and makes an account, its keys, a host and a clip.')
  .option('--destroy [name]', 'remove a deployment; asks for its name unless it is given')
  .option('--with-buckets', 'with --destroy: also remove the buckets, which have to be empty', false)
  .action(async ({ destroy: doomed, ...options }) => {
    const terminal = process.stdin.isTTY ? createInterface({ input: process.stdin, output: process.stderr }) : null;
    const ask = async ([option, question]: readonly string[], preset?: string): Promise<string> => {
      if (terminal === null && preset === undefined) throw new Error(`${option} is missing: ${question}`);
      const answer = await terminal?.question(`${question}${preset ? ` [${preset}]` : ''}: `);
      return answer?.trim() || (preset ?? '');
    };
    const named = async () => (doomed === true ? ask(['--destroy NAME', 'Its name, to remove it for good']) : doomed);
    const work = doomed
      ? destroy({ ...options, say, confirm: named })
      : setUp({ ...options, say, ask: async (what, preset) => options[what] ?? ask(QUESTIONS[what], preset) });
    await work.finally(() => terminal?.close());
  });
for (const [option, question] of Object.values(QUESTIONS)) setup.option(`${option} <text>`, question);

changing('deploy', 'Updates a deployment: its database and buckets, its migrations, then the Worker.')
  .option('--secret <name...>', 'set a secret in the same version, from a line of standard input; can be repeated')
  .action(async ({ secret: names = [], ...options }) => {
    const lines = names.length > 0 ? (await text(process.stdin)).split('\n').map((line) => line.trim()) : [];
    const unset = names.find((_: string, i: number) => !lines[i]);
    if (unset !== undefined) throw new Error(`--secret ${unset}: standard input has no line with its value`);
    const givenSecrets = Object.fromEntries(names.map((name: string, i: number) => [name, lines[i]]));
    await deploy({ ...options, say, givenSecrets });
  });

command('doctor', 'Checks the configuration of a deployment, and makes one clip there with --url.')
  .option('--url <address>', 'also check a running deployment; needs TICKREEL_ADMIN_TOKEN')
  .option('--deployed', 'also check secrets and migrations, by the login of wrangler; --url implies it')
  .action(async (options) => {
    const { report, isWell } = await doctor(options);
    say(report);
    if (!isWell) process.exitCode = 1;
  });

await runCommand(program, '\n  ');
