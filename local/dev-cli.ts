import { spawn, spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { loadCredentials, loadSecrets } from './credentials.ts';
import { startRenderHosts } from './render-hosts.ts';
import { aborted, stopSignal } from './signals.ts';

/** For editing the Worker: `wrangler dev` with an account, its keys, a render host, and the cron. */

const PORT = process.env.PORT ?? '8787';
const BASE_URL = `http://localhost:${PORT}`;
/** Beside what `wrangler dev` keeps: whoever removes that removes the keys that are in it. */
const FOLDER = '.wrangler/state/tickreel';
const READY_EVERY_MS = 250;
const CRON_MS = 60_000;

const { status } = spawnSync('node', ['scripts/migrate-databases.ts', '--local'], { stdio: ['ignore', 2, 2] });
if (status !== 0) process.exit(status ?? 1);
await mkdir(FOLDER, { recursive: true });
const secrets = await loadSecrets(FOLDER);
const variables = {
  ENVIRONMENT: 'local',
  BASE_URL,
  ADMIN_TOKEN: secrets.admin_token,
  CLIP_ID_SECRET: secrets.clip_id_secret,
  METRICS_TOKEN: secrets.admin_token,
  ACCEPTED_DEMO_DOMAINS: '*',
};
const stop = stopSignal();
const set = Object.entries(variables).flatMap(([name, value]) => ['--var', `${name}:${value}`]);
// Not its own terminal: Ctrl-C reaches both, and the host hands its job back first.
const worker = spawn('wrangler', ['dev', '--port', PORT, ...set], { stdio: ['ignore', 2, 2] });
worker.once('exit', (code) => process.exit(code ?? 1));

const isUp = () =>
  fetch(`${BASE_URL}/robots.txt`).then(
    ({ ok }) => ok,
    () => false,
  );
while (!(await isUp())) await delay(READY_EVERY_MS);
const credentials = await loadCredentials(FOLDER, BASE_URL, secrets);
const host = { count: 1, baseUrl: BASE_URL, hostToken: credentials.host_token, dataDir: FOLDER, logLevel: 'info' };
const hosts = startRenderHosts(host);
console.log(JSON.stringify({ base_url: BASE_URL, console: `${BASE_URL}/console`, ...credentials }, null, 2));
const runCron = () => void fetch(`${BASE_URL}/cdn-cgi/handler/scheduled`).catch(() => {});
const cron = setInterval(runCron, CRON_MS);
await aborted(stop);
clearInterval(cron);
await hosts.stop();
worker.kill();
