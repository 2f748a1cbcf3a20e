import { openAsBlob, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createTickreel } from '#client/index.ts';
import { backUp } from '#stack/backup.ts';
import { backupName } from '#stack/backups.ts';
import { childrenOf } from '#stack/processes.ts';
import { publicVariables } from '#stack/public-variables.ts';
import { writeSample } from '#stack/sample.ts';
import { startStack } from '#stack/stack.ts';

/**
 * Measures one machine that serves others (docs/one-machine.md): clips a minute, accepted jobs a second, memory of each
 * program, disk space of a clip, and the pause of a backup.
 *
 *     npx node tools/bench/one-machine.bench.ts [--clips 4] [--submits 300] [--hosts 1] [--fps 30]
 */
const { values } = parseArgs({
  options: {
    clips: { type: 'string', default: '4' },
    submits: { type: 'string', default: '300' },
    hosts: { type: 'string', default: '1' },
    fps: { type: 'string', default: '30' },
  },
});
const [clips, submits, hosts] = [Number(values.clips), Number(values.submits), Number(values.hosts)];
const folder = await mkdtemp(join(tmpdir(), 'tickreel-one-machine-'));
const dataDir = join(folder, 'data');
const variables = { ...publicVariables('https://clips.somebody.dev', { demoDomains: '*' }), LOG_LEVEL: 'error' };
const most = new Map<string, number>();
const watch = setInterval(() => noteMemory(process.pid), 500);
const stack = await startStack({ port: 0, dataDir, hosts, timeScale: 1, logLevel: 'error', variables });
try {
  const client = createTickreel({ baseUrl: stack.baseUrl, apiKey: stack.credentials.metered_key });
  const { path, player, round } = await writeSample(folder);
  const { demo_url } = await client.uploads.send({ name: 'sample.dem', content: await openAsBlob(path) });
  const request = { demo_url, steam64_id: player, round, fps: Number(values.fps) };
  console.log(`${cpus().length} cores, a load of ${loadavg()[0]?.toFixed(1)}, ${hosts} hosts`);

  const idle = processorSeconds();
  const begun = performance.now();
  const made = await Promise.all(Array.from({ length: clips }, () => client.clips.render(request)));
  const minutes = (performance.now() - begun) / 60_000;
  const rendered = processorSeconds();
  const seconds = made.reduce((sum, { duration_seconds }) => sum + duration_seconds, 0) / clips;
  const bytes = made.reduce((sum, { size }) => sum + Number(size), 0) / clips;
  const [ofHost, ofService] = [(rendered.hosts - idle.hosts) / clips, (rendered.service - idle.service) / clips];
  console.log(
    `${clips} clips of ${seconds.toFixed(1)} s, 1080p at ${values.fps}: ${(clips / minutes).toFixed(1)} a minute`,
  );
  console.log(
    `a clip: ${(bytes / 1e6).toFixed(1)} MB; processor: host ${ofHost.toFixed(1)} s, service ${ofService.toFixed(2)} s`,
  );

  const from = performance.now();
  // No match has a round 30, so hosts end these jobs at once.
  const elsewhere = { ...request, round: 30 };
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let n = 0; n < submits / 8; n++) await client.clips.submit(elsewhere);
    }),
  );
  const took = (performance.now() - from) / 1000;
  const each = ((processorSeconds().service - rendered.service) / submits) * 1000;
  console.log(
    `${(submits / took).toFixed(0)} submits a second, 8 at once; processor of the service: ${each.toFixed(1)} ms`,
  );

  for (const at of [Date.now(), Date.now() + 1000]) {
    const { files, bytes: all, newBytes, pausedMs } = await backUp(dataDir, join(folder, 'backups', backupName(at)));
    const size = `${files} files, ${(all / 1e6).toFixed(0)} MB, ${(newBytes / 1e6).toFixed(0)} of them new`;
    console.log(`backup of ${size}: a pause of ${pausedMs.toFixed(0)} ms`);
  }
  for (const [name, size] of most) console.log(`memory of ${name}: ${(size / 1024).toFixed(0)} MiB at most`);
} finally {
  clearInterval(watch);
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Returns the processor time of the service, and of the hosts with their children. */
function processorSeconds(): { readonly service: number; readonly hosts: number } {
  const children = childrenOf(process.pid);
  const sum = (pids: readonly number[]) => pids.reduce((total, pid) => total + secondsOf(pid), 0);
  const isService = ({ command }: { command: string }) => command.includes('workerd');
  return {
    service: sum(children.filter(isService).map(({ pid }) => pid)),
    hosts: sum(children.filter((child) => !isService(child)).map(({ pid }) => pid)),
  };
}

/** Returns the seconds of a process and its ended children, from Linux's hundredths. */
function secondsOf(pid: number): number {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

/** Adds up the memory of the programs of each name. */
function noteMemory(parent: number): void {
  const now = new Map<string, number>([['all', 0]]);
  const add = (pid: number, command: string): void => {
    const kib = Number(/^VmRSS:\s+(\d+)/m.exec(statusOf(pid))?.[1] ?? 0);
    const name = command.split('/').at(-1) ?? command;
    now.set(name, (now.get(name) ?? 0) + kib);
    now.set('all', (now.get('all') ?? 0) + kib);
    for (const child of childrenOf(pid)) add(child.pid, child.command);
  };
  add(parent, 'the stack itself');
  for (const [name, size] of now) most.set(name, Math.max(most.get(name) ?? 0, size));
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}
