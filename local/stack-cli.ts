import { Command, InvalidArgumentError, Option } from 'commander';
import { aborted, stopSignal } from './signals.ts';
import { startStack } from './stack.ts';

const program = new Command('npm run stack --')
  .description('Runs Tickreel on this machine until SIGTERM or Ctrl-C. Prints one line of JSON when it is ready.')
  .addOption(
    new Option('--port <number>', 'port to listen on; 0 takes a free one').default(8787).argParser(wholeNumber),
  )
  .option('--data <dir>', 'folder for everything that is kept', '.data')
  .addOption(new Option('--hosts <number>', 'render hosts to run').default(1).argParser(wholeNumber))
  .addOption(
    new Option('--time-scale <factor>', 'multiply retry and webhook waits, 0.001 to 1').default(1).argParser(timeScale),
  )
  .option('--log-level <level>', 'of the render hosts', 'info')
  .action(run);

async function run(options: { port: number; data: string; hosts: number; timeScale: number; logLevel: string }) {
  const { port, hosts, timeScale: factor, logLevel, data } = options;
  const stop = stopSignal();
  const stack = await startStack({ port, dataDir: data, hosts, timeScale: factor, logLevel });
  console.log(JSON.stringify({ base_url: stack.baseUrl, ...stack.credentials }));
  await aborted(stop);
  await stack.stop();
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

function timeScale(text: string): number {
  const factor = Number(text);
  if (!(factor >= 0.001 && factor <= 1)) throw new InvalidArgumentError('It must lie between 0.001 and 1.');
  return factor;
}

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`The stack could not run: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
