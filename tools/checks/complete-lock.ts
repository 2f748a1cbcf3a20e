import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Adds the binary packages of each platform to package-lock.json.
 *
 * A package with native parts lists one optional package for each platform. If a registry mirror lacks some of them,
 * `npm install` leaves them out of the lock, and `npm ci` then refuses the lock as incomplete on each platform. Run
 * this after each `npm install`. It changes nothing if nothing is missing.
 */

interface LockedPackage {
  version?: string;
  optional?: boolean;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const LOCK = new URL('../../package-lock.json', import.meta.url);

const OS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const CPU = ['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

/** Returns the machines of a package by its name, such as `…-linux-arm64-musl`; null if it names no platform. */
function platformOf(name: string): Pick<LockedPackage, 'os' | 'cpu' | 'libc'> | null {
  const words = name.split('-');
  const os = words.find((word) => OS.includes(word));
  const cpu = words.find((word) => CPU.includes(word));
  if (!os && !cpu) return null;
  const libc = words.some((word) => word.startsWith('musl')) ? 'musl' : words.includes('gnu') ? 'glibc' : null;
  return { ...(os ? { os: [os] } : {}), ...(cpu ? { cpu: [cpu] } : {}), ...(libc ? { libc: [libc] } : {}) };
}

function complete(packages: Record<string, LockedPackage>): string[] {
  const added: string[] = [];
  for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const platform = platformOf(name);
      const isLocked = packages[`node_modules/${name}`] ?? packages[`${path}/node_modules/${name}`];
      if (isLocked || !platform || !/^\d/.test(version)) continue;
      packages[`node_modules/${name}`] = { version, ...platform, ...(dev ? { dev } : {}), optional: true };
      added.push(name);
    }
  }
  return added;
}

const lock = JSON.parse(readFileSync(LOCK, 'utf8'));
const added = complete(lock.packages);
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en')));
if (added.length > 0) writeFileSync(LOCK, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${added.length} packages of other platforms added\n`);
