import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { vi } from 'vitest';
import { PROJECT_ROOT } from '#stack/project-root.ts';
import { freePort } from '#stack/service.ts';

interface Proxy {
  readonly program: string;
  /** The smallest configuration that forwards to a port of this machine, as in the first example of its manual. */
  readonly plain: string;
  /** The file in tools/deploy/one-machine, and its parts that are specific to that machine. */
  readonly sample: { readonly file: string; readonly mine: readonly (readonly [from: string, to: string])[] };
  /** The whole configuration around a site. */
  whole(site: string, folder: string): string;
  args(config: string, folder: string): readonly string[];
}

const MODULES = ['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'headers', 'reqtimeout'];

/** The proxies of Debian. PORT is the proxy's own port, 8787 the stack's. */
export const PROXIES: Readonly<Record<string, Proxy>> = {
  caddy: {
    program: '/usr/bin/caddy',
    plain: ':PORT\nreverse_proxy 127.0.0.1:8787\n',
    sample: {
      file: 'Caddyfile',
      mine: [
        ['{$TICKREEL_DOMAIN:clips.your-domain.dev} {', ':PORT {'],
        ['/var/log/caddy', 'FOLDER'],
      ],
    },
    whole: (site) => `{\n\tadmin off\n\tauto_https off\n}\n${site}`,
    args: (config) => ['run', '--adapter', 'caddyfile', '--config', config],
  },
  nginx: {
    program: '/usr/sbin/nginx',
    plain: 'server { listen PORT; location / { proxy_pass http://127.0.0.1:8787; } }',
    sample: { file: 'nginx.conf', mine: [['listen 80', 'listen PORT']] },
    whole: (site, folder) => {
      const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
      const paths = kept.map((name) => `${name}_temp_path ${folder};`).join('\n');
      const http = `http {\naccess_log off;\n${paths}\n${site}\n}`;
      return `daemon off;\nmaster_process off;\npid ${folder}/pid;\nerror_log stderr crit;\nevents {}\n${http}`;
    },
    args: (config, folder) => ['-c', config, '-p', folder],
  },
  apache: {
    program: '/usr/sbin/apache2',
    plain: '<VirtualHost *:PORT>\nProxyPass / http://127.0.0.1:8787/\n</VirtualHost>',
    sample: { file: 'apache.conf', mine: [['<VirtualHost *:80>', '<VirtualHost *:PORT>']] },
    whole: (site, folder) => {
      const modules = MODULES.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`);
      const own = [`ServerRoot ${folder}`, `PidFile ${folder}/pid`, `DefaultRuntimeDir ${folder}`, 'Mutex pthread'];
      const root = process.getuid?.() === 0 ? ['User www-data', 'Group www-data'] : [];
      const server = ['ServerName localhost', `ErrorLog ${folder}/error.log`, 'LogLevel crit', 'Listen PORT'];
      return [...own, ...root, ...modules, ...server, site, ''].join('\n');
    },
    args: (config) => ['-D', 'FOREGROUND', '-f', config],
  },
};

/** CI has all proxies; other machines may not. */
export function isMissing(name: keyof typeof PROXIES): boolean {
  const { program } = proxyOf(name);
  const missing = !existsSync(program);
  if (missing && process.env.CI) throw new Error(`There is no ${program}: apt-get install caddy nginx apache2.`);
  return missing;
}

/** Runs a proxy in front of the port of a stack, with the example of its manual or with our sample. */
export async function startProxy(name: string, kind: 'plain' | 'sample', of: { port: number; folder: string }) {
  const { program, plain, sample, whole, args } = proxyOf(name);
  const folder = join(of.folder, `${name}-${kind}`);
  mkdirSync(folder, { recursive: true });
  const port = await freePort(0);
  let site = plain;
  if (kind === 'sample') {
    site = readFileSync(join(PROJECT_ROOT, 'tools/deploy/one-machine', sample.file), 'utf8');
    for (const [from, to] of sample.mine) {
      if (!site.includes(from)) throw new Error(`${sample.file} has no ${from}`);
      site = site.replaceAll(from, to);
    }
  }
  const config = join(folder, 'config');
  const text = whole(site, folder).replaceAll('PORT', String(port)).replaceAll('FOLDER', folder);
  writeFileSync(config, text.replaceAll('127.0.0.1:8787', `127.0.0.1:${of.port}`));
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(program, args(config, folder), { stdio: ['ignore', 'ignore', 'pipe'], env });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  await vi.waitFor(
    async () => {
      if (child.exitCode !== null) throw new Error(`${program} ended: ${output}`);
      await opens(port);
    },
    { timeout: 30_000, interval: 20 },
  );
  return { baseUrl: `http://127.0.0.1:${port}`, port, stop: () => end(child) };
}

function proxyOf(name: string): Proxy {
  const proxy = PROXIES[name];
  if (proxy === undefined) throw new Error(`${name} is no proxy`);
  return proxy;
}

function opens(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    }).once('error', reject);
  });
}

function end(child: ChildProcess): Promise<unknown> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  return ended;
}
