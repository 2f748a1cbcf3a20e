import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../local/service.ts';
import type { PeerName } from './backends.ts';
import { post, type Subject } from './subject.ts';

/** A peer's server: how it is started in a folder, and on which ports its clients reach it. */
interface Peer {
  /** Its npm packages. */
  readonly packages: readonly string[];
  /** Where its server is; null where it is not installed. */
  readonly program: (packages: string) => string | null;
  readonly start: (program: string, folder: string, ports: readonly number[]) => Promise<ChildProcess>;
}

const POSTGRES = '/usr/lib/postgresql';

const PEERS: Record<PeerName, Peer> = {
  'graphile-worker': {
    packages: ['graphile-worker@0.17.3'],
    program: () => {
      const version = existsSync(POSTGRES) ? readdirSync(POSTGRES).at(-1) : undefined;
      return version === undefined ? null : join(POSTGRES, version, 'bin');
    },
    async start(bin, folder, [port]) {
      // Postgres does not run as root.
      const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
      if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
      const data = join(folder, 'data');
      execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust'], { ...user, stdio: 'ignore' });
      const options = ['-p', String(port), '-k', folder, '-h', '127.0.0.1', '-c', 'synchronous_commit=on'];
      return spawn(join(bin, 'postgres'), ['-D', data, ...options], { ...user, stdio: 'ignore' });
    },
  },
  bullmq: {
    packages: ['bullmq@6.7.0', 'ioredis@6.0.0'],
    program: () => onPath('redis-server'),
    async start(program, folder, [port]) {
      const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
      return spawn(program, ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...durable], QUIET);
    },
  },
  nats: {
    packages: ['nats@2.29.3'],
    program: () => onPath('nats-server'),
    start: async (program, folder, [port]) =>
      spawn(program, ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder], QUIET),
  },
  restate: {
    packages: ['@restatedev/restate-server@1.7.12', '@restatedev/restate-sdk@1.17.2'],
    program: (packages) => join(packages, 'node_modules/.bin/restate-server'),
    async start(program, folder, [ingress, admin, , node]) {
      const at = (port: number | undefined) => `127.0.0.1:${port}`;
      const addresses = {
        RESTATE_INGRESS__BIND_ADDRESS: at(ingress),
        RESTATE_ADMIN__BIND_ADDRESS: at(admin),
        RESTATE_BIND_ADDRESS: at(node),
        RESTATE_ADVERTISED_ADDRESS: `http://${at(node)}`,
        RESTATE_DISABLE_TELEMETRY: 'true',
      };
      return spawn(process.execPath, [program, '--base-dir', folder], {
        ...QUIET,
        cwd: folder,
        env: { ...process.env, ...addresses },
      });
    },
  },
};

const QUIET = { stdio: 'ignore' } as const;

/**
 * Each peer behind its shim, or why it is left out. Their clients, and Restate's server, are installed with npm into
 * `folder`, once: they are no packages of this repository.
 */
export async function findPeers(folder: string): Promise<{ subjects: Subject[]; skipped: string[] }> {
  await mkdir(folder, { recursive: true });
  // What is in no such file, npm takes away again.
  if (!existsSync(join(folder, 'package.json'))) await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const subjects: Subject[] = [];
  const skipped: string[] = [];
  for (const [name, peer] of Object.entries(PEERS) as [PeerName, Peer][]) {
    try {
      const options = { cwd: folder };
      await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', ...peer.packages], options);
    } catch (error) {
      skipped.push(`${name}: npm could not install ${peer.packages.join(' ')} (${firstLine(error)})`);
      continue;
    }
    const program = peer.program(folder);
    if (program === null) skipped.push(`${name}: its server is not installed`);
    else subjects.push(behindShim(name, peer, program, folder));
  }
  return { subjects, skipped };
}

function behindShim(name: PeerName, peer: Peer, program: string, packages: string): Subject {
  return {
    name,
    async start(folder) {
      const ports = await Promise.all(Array.from({ length: 4 }, () => freePort(0)));
      const server = await peer.start(program, folder, ports);
      const path = fileURLToPath(new URL('peer-shim.ts', import.meta.url));
      const listening = name === 'restate' ? ports.slice(0, 2) : ports.slice(0, 1);
      for (const port of listening) await listens(port);
      const shim = spawn(process.execPath, [path, name, packages, ...ports.map(String)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const url = `http://127.0.0.1:${await portOf(shim.stdout)}`;
      const id = async (path: string) => String((await post(url + path, {})).body.id);
      return {
        submit: () => post(`${url}/idle`, {}),
        submitHeld: () => id('/work'),
        hold: () => id('/next'),
        finish: async () => {},
        stop: async () => {
          for (const child of [shim, server]) {
            child.kill();
            await once(child, 'exit');
          }
        },
      };
    },
  };
}

/** The port that a shim says, among what its packages say. */
async function portOf(output: Readable): Promise<string> {
  for await (const line of createInterface(output)) {
    const port = /^port (\d+)$/.exec(line)?.[1];
    if (port === undefined) continue;
    output.resume();
    return port;
  }
  throw new Error('the shim has ended');
}

async function listens(port: number): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await delay(100);
  }
  throw new Error(`nothing listens on port ${port}`);
}

function onPath(program: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin'];
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path)) ?? null;
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split('\n')[0] ?? '';
}
