import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { RENDERERS } from '#domain/host/need.ts';
import { secretsIn } from './credentials.ts';
import { aborted, runCommand, stopSignal } from './processes.ts';
import { serveSample } from './sample.ts';
import { type StackOptions, startStack } from './stack.ts';

const program = new Command('npm run stack --')
  .description('Runs Tickreel on this machine until SIGTERM or Ctrl-C. Prints one line of JSON when it is ready.')
  .option('--port <number>', 'port to listen on; 0 takes a free one', wholeNumber, 8787)
  .option('--data <dir>', 'folder for everything that is kept', '.data')
  .option('--hosts <number>', 'render hosts to run', wholeNumber, 1)
  .addOption(
    new Option('--renderer <renderer>', 'renderer of clips whose request names none; the render hosts here are radars')
      .choices(RENDERERS)
      .default('radar'),
  )
  .option('--time-scale <factor>', 'multiply retry and webhook waits, 0.001 to 1', timeScale, 1)
  .option('--lease-s <seconds>', 'take a job back from a host that is silent for so long, 2 to 60', lease)
  .option('--log-level <level>', 'of the render hosts', 'info')
  .option('--public-url <address>', 'serve others, behind a proxy at this address: docs/one-machine.md')
  .option('--listen <address>', 'address to listen on, with --public-url (default: loopback)')
  .option('--proxies <list>', 'addresses of trusted proxies, with --public-url (default: loopback)')
  .option('--demo-domains <list>', 'domains that demos may come from, with --public-url')
  .option('--variables <file>', 'further variables of docs/deploy.md, a line each: NAME=value; with --public-url')
  .option('--backups <dir>', 'back up here each ten minutes (default: beside --data, with --public-url)')
  .option('--no-backups', 'make no backups')
  .action(run);

interface Options
  extends Pick<StackOptions, 'port' | 'hosts' | 'renderer' | 'timeScale' | 'logLevel' | 'listen' | 'proxies'> {
  readonly data: string;
  readonly leaseS?: number;
  readonly publicUrl?: string;
  readonly demoDomains?: string;
  readonly variables?: string;
  /** False for none. */
  readonly backups?: string | boolean;
}

async function run(all: Options): Promise<void> {
  const { data, leaseS, publicUrl, demoDomains, variables: file, backups: wanted = true, ...options } = all;
  let variables: Record<string, string> | undefined;
  if (publicUrl !== undefined) {
    // Imported only here, because it imports wrangler, which takes longer to load than all the rest.
    const { publicVariables } = await import('./public-variables.ts');
    variables = publicVariables(publicUrl, { demoDomains, file });
  }
  if (variables && (options.timeScale !== 1 || leaseS !== undefined)) {
    throw new Error('--time-scale and --lease-s are for trying things out, and not for --public-url');
  }
  if (!variables && (options.listen ?? options.proxies) !== undefined) {
    throw new Error('--listen and --proxies need --public-url');
  }
  const stop = stopSignal();
  // Nothing has to be stopped yet: the runtime ends with this process.
  const isStarting = () => process.exit(0);
  stop.addEventListener('abort', isStarting);
  const beside = variables ? `${resolve(data)}-backups` : undefined;
  const backups = typeof wanted === 'string' ? wanted : wanted ? beside : undefined;
  const stack = await startStack({ ...options, dataDir: data, leaseSeconds: leaseS, variables, backups });
  stop.removeEventListener('abort', isStarting);
  const sample = variables ? null : await serveSample(data, options.port);
  // The output of a service is in a log, where keys must not be.
  const { account_id } = stack.credentials;
  const shown = variables
    ? { account_id, public_url: variables.BASE_URL, secrets: secretsIn(data) }
    : { ...stack.credentials, sample_demo_url: sample?.url };
  const renderer = variables?.RENDERER ?? options.renderer;
  console.log(JSON.stringify({ base_url: stack.baseUrl, renderer, ...shown }));
  const isLost = await Promise.race([aborted(stop).then(() => false), stack.ended.then(() => true)]);
  await stack.stop();
  await sample?.stop();
  // A service manager restarts this process.
  if (isLost) throw new Error('its runtime has ended');
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

function lease(text: string): number {
  const seconds = wholeNumber(text);
  if (seconds < 2 || seconds > 60) throw new InvalidArgumentError('It must lie between 2 and 60.');
  return seconds;
}

function timeScale(text: string): number {
  const factor = Number(text);
  if (!(factor >= 0.001 && factor <= 1)) throw new InvalidArgumentError('It must lie between 0.001 and 1.');
  return factor;
}

await runCommand(program, 'The stack could not run: ');
