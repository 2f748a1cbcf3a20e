import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What the packages that are installed may be under; all of it lets a service use them, also unchanged parts of it. */
const LICENCES =
  /^(0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|CC0-1\.0|CC-BY-4\.0|ISC|MIT|MPL-2\.0|OFL-1\.1|PSF-2\.0|LGPL-3\.0-or-later)$/;
/**
 * Programs that are run, never linked: ffmpeg and ffprobe, GPL and LGPL, and packages that only hand out their paths.
 */
const PROGRAMS = /^node_modules\/(@ffmpeg-installer|@ffprobe-installer)\//;
/** BSD, in a notation of old. */
const READ = ['node_modules/player.js'];

/** Whole: npm takes a broken one for none. */
const HASH = /^(sha512-[A-Za-z0-9+/]{86}==|sha384-[A-Za-z0-9+/]{64})$/;

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: unknown;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

/** Whether it is installed on what runs the checks and most hosts: whoever names no platform is for all of them. */
function isForServers({ os = ['linux'], cpu = ['x64'], libc = ['glibc'] }: LockedPackage): boolean {
  return os.includes('linux') && cpu.includes('x64') && libc.includes('glibc');
}

/** What is wrong with a line of the lock file; null where nothing is. */
function faultOf(path: string, entry: LockedPackage): string | null {
  // What `npm run lock` adds for other platforms has no hash (docs/decisions/012-complete-lock.md), and nothing else.
  if (entry.integrity === undefined && entry.optional === true && !isForServers(entry)) return null;
  if (typeof entry.integrity !== 'string' || !HASH.test(entry.integrity)) return 'has no integrity';
  if (PROGRAMS.test(path) || READ.includes(path)) return null;
  const named = typeof entry.license === 'string' ? entry.license : '';
  const isAllowed = named.split(' OR ').some((choice) => choice.split(' AND ').every((one) => LICENCES.test(one)));
  return isAllowed ? null : `is under ${JSON.stringify(entry.license) ?? 'no licence that it names'}`;
}

/** The lock file of this checkout, unless another one is named. */
const path = process.argv[2] ?? fileURLToPath(new URL('../package-lock.json', import.meta.url));
const lock: unknown = JSON.parse(readFileSync(path, 'utf8'));
const packages = (lock as { packages: Record<string, LockedPackage> }).packages;
for (const [name, entry] of Object.entries(packages)) {
  const fault = name === '' ? null : faultOf(name, entry);
  if (fault === null) continue;
  process.stderr.write(`package-lock.json: ${name} ${fault}\n`);
  process.exitCode = 1;
}
