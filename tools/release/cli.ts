import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { listenOnLoopback } from '#stack/listen.ts';
import { JOB, MODULE, PACKAGES, readChangelog, VERSION } from './packages.ts';
import { readiness } from './readiness.ts';

/**
 * `npm run release -- --dry-run | --out DIR`: builds every package, installs each in an empty folder, and runs what was
 * installed. With `--out` it leaves the files there and prints the commands that publish them; it refuses while
 * something is missing for that. It publishes nothing: docs/release.md says what a person does.
 */
const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean' }, out: { type: 'string' } } });
const isDry = values['dry-run'] ?? false;
if (isDry === (values.out !== undefined)) throw new Error('Give --dry-run, or --out with a folder.');

const others = PACKAGES.filter(({ version }) => version !== VERSION);
if (others.length > 0) {
  const list = others.map(({ name, version }) => `${name} is ${version}`).join(', ');
  throw new Error(`All packages have the version of package.json, ${VERSION}: ${list}.`);
}
const { entry, missing } = readiness({ version: VERSION, changelog: readChangelog(), module: MODULE });
print(`Version ${VERSION}; ${entry.split('\n').length} lines under "${entry.split('\n')[0]}" in CHANGELOG.md.`);
if (missing.length > 0) {
  print(`Missing before a release (docs/release.md):\n${missing.map((thing) => `- ${thing}`).join('\n')}`);
  if (!isDry) process.exit(1);
}

const temporary = mkdtempSync(join(tmpdir(), 'tickreel-release-'));
const service = createServer((request, response) => {
  const isKnown = request.url === '/api/jobs' && request.headers.authorization === 'Bearer tr_met_1';
  response.writeHead(isKnown ? 200 : 404, { 'Content-Type': 'application/json' });
  response.end(isKnown ? JSON.stringify({ jobs: [{ id: JOB }], next_cursor: null }) : '{}');
});
const serviceUrl = `http://127.0.0.1:${await listenOnLoopback(service)}`;
const commands: string[] = [];
try {
  for (const { name, build, tryOut, publish } of PACKAGES) {
    const file = await build(mkdtempSync(join(temporary, 'built-')));
    await tryOut({ folder: mkdtempSync(join(temporary, 'installed-')), file, serviceUrl });
    print(`ok  ${name}: ${basename(file)}, ${Math.ceil(statSync(file).size / 1000)} kB, installed and run`);
    if (values.out === undefined) continue;
    const kept = join(resolve(values.out), basename(file));
    mkdirSync(values.out, { recursive: true });
    copyFileSync(file, kept);
    commands.push(publish(kept));
  }
} finally {
  service.close();
  rmSync(temporary, { recursive: true, force: true });
}
print(isDry ? 'All packages work.' : `Publish them:\n${commands.join('\n')}`);

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
