import { readFileSync } from 'node:fs';

/** What the packages that are installed may be under; all of it lets a service use them, also unchanged parts of it. */
const LICENCES =
  /^(0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|CC0-1\.0|CC-BY-4\.0|ISC|MIT|MPL-2\.0|OFL-1\.1|PSF-2\.0|LGPL-3\.0-or-later)$/;
/**
 * Programs that are run, never linked: ffmpeg and ffprobe, GPL and LGPL, and packages that only hand out their paths.
 */
const PROGRAMS = /^node_modules\/(@ffmpeg-installer|@ffprobe-installer)\//;
/** BSD, in a notation of old. */
const READ = ['node_modules/player.js'];

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: unknown;
  readonly optional?: boolean;
  readonly os?: unknown;
  readonly cpu?: unknown;
}

/** What is wrong with a line of the lock file; null where nothing is. */
function faultOf(path: string, entry: LockedPackage): string | null {
  // What `npm run lock` adds for other platforms has no hash (docs/decisions/012-complete-lock.md), and nothing else.
  const isForOthers = entry.optional === true && entry.resolved === undefined && Boolean(entry.os ?? entry.cpu);
  if (isForOthers) return null;
  if (typeof entry.integrity !== 'string' || !/^sha(384|512)-/.test(entry.integrity)) return 'has no integrity';
  if (PROGRAMS.test(path) || READ.includes(path)) return null;
  const named = typeof entry.license === 'string' ? entry.license : '';
  const isAllowed = named.split(' OR ').some((choice) => choice.split(' AND ').every((one) => LICENCES.test(one)));
  return isAllowed ? null : `is under ${JSON.stringify(entry.license) ?? 'no licence that it names'}`;
}

const lock: unknown = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
const packages = (lock as { packages: Record<string, LockedPackage> }).packages;
for (const [path, entry] of Object.entries(packages)) {
  const fault = path === '' ? null : faultOf(path, entry);
  if (fault === null) continue;
  process.stderr.write(`package-lock.json: ${path} ${fault}\n`);
  process.exitCode = 1;
}
