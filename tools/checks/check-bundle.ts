import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Builds the Worker as a deployment does, and starts it in the local runtime. Prints its size and how long the start
 * was busy, which depends on the machine. Fails if the Worker is too large: a new isolate loads all of it first. The
 * files of src/static do not count.
 */
const MOST_KIB = 280;

const folder = mkdtempSync(join(tmpdir(), 'tickreel-startup-'));
const env = { ...process.env, NO_COLOR: '1', WRANGLER_SEND_METRICS: 'false' };
const report = execFileSync('npx', ['wrangler', 'check', 'startup', '--outfile', join(folder, 'startup.cpuprofile')], {
  env,
  encoding: 'utf8',
});
rmSync(folder, { recursive: true });
const [, size = '', active = ''] = /gzip: ([\d.]+) KiB[\s\S]*Active: ([\d.]+ ms)/.exec(report) ?? [];
process.stdout.write(`the Worker: ${size} KiB compressed, at most ${MOST_KIB}; ${active} of start-up\n`);
// Not a number if wrangler writes another report.
if (!(Number(size) > 0 && Number(size) <= MOST_KIB)) {
  process.stderr.write(`the Worker is too large, or its size is not in the report of wrangler:\n${report}\n`);
  process.exitCode = 1;
}
