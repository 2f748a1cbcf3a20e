import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import { loadCredentials, loadSecrets } from './credentials.ts';
import { PROJECT_ROOT } from './migrate.ts';
import { aborted, runCommand, stopSignal } from './processes.ts';
import { startRenderHosts } from './render-hosts.ts';
import { freePort } from './service.ts';
import { createWrangler } from './wrangler.ts';

const READY_EVERY_MS = 250;
const CRON_MS = 60_000;

const program = new Command('npm run dev --')
  .description('For editing the Worker: `wrangler dev` with an account, its keys, a render host, and the cron.')
  .option('--port <number>', 'port to listen on; 0 takes a free one', process.env.PORT ?? '8787')
  .option('--data <dir>', 'folder for everything that is kept', '.wrangler/state')
  .action(runDev);

async function runDev({ port: wanted, data }: { port: string; data: string }): Promise<void> {
  const stop = stopSignal();
  // wrangler would take another port, and the program on this one would be mistaken for the service.
  const port = await freePort(Number(wanted));
  const baseUrl = `http://localhost:${port}`;
  await createWrangler('wrangler.toml').read('d1', 'migrations', 'apply', 'DB', '--local', '--persist-to', data);
  // In the folder of `wrangler dev`, so that deleting its databases also deletes the keys that are in them.
  const folder = join(data, 'tickreel');
  await mkdir(folder, { recursive: true });
  const secrets = loadSecrets(folder);
  const variables = {
    ENVIRONMENT: 'local',
    BASE_URL: baseUrl,
    ADMIN_TOKEN: secrets.admin_token,
    CLIP_ID_SECRET: secrets.clip_id_secret,
    METRICS_TOKEN: secrets.admin_token,
    ACCEPTED_DEMO_DOMAINS: '*',
    RENDERER: 'radar',
  };
  // All users of this machine can read a command line.
  const file = resolve(folder, 'worker.env');
  const lines = Object.entries(variables).map(([name, value]) => `${name}='${value}'\n`);
  await writeFile(file, lines.join(''), { mode: 0o600 });
  const worker = startWorker(port, data, file);
  worker.once('exit', (code) => process.exit(stop.aborted ? 0 : (code ?? 1)));
  const isUp = async () => (await fetch(`${baseUrl}/robots.txt`).catch(() => null))?.ok;
  while (!(await isUp())) await delay(READY_EVERY_MS);
  const credentials = await loadCredentials(folder, baseUrl, secrets);
  const host = { count: 1, baseUrl, hostToken: credentials.host_token, dataDir: folder, logLevel: 'info' };
  const hosts = startRenderHosts(host);
  console.log(JSON.stringify({ base_url: baseUrl, console: `${baseUrl}/console`, ...credentials }, null, 2));
  const runCron = () => void fetch(`${baseUrl}/cdn-cgi/handler/scheduled`).catch(() => {});
  runCron();
  const cron = setInterval(runCron, CRON_MS);
  await aborted(stop);
  clearInterval(cron);
  await hosts.stop();
  worker.kill();
}

/** Its output goes to standard error. Standard output is for what is printed when all is ready. */
function startWorker(port: number, data: string, envFile: string) {
  const args = ['dev', '--port', String(port), '--persist-to', data, '--env-file', envFile];
  // Not in its own terminal: Ctrl-C reaches both, and the host hands its job back first.
  return spawn('wrangler', args, { stdio: ['ignore', 2, 2], cwd: PROJECT_ROOT });
}

await runCommand(program, 'npm run dev could not run: ');
