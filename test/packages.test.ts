import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LOCK = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'packages-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Entry = Record<string, unknown>;
const CHOSEN = 'node_modules/commander';

/** What `npm run check:packages` says of this checkout's lock file with one entry changed. */
function check(change: (entry: Entry) => void, name = CHOSEN) {
  const lock = JSON.parse(LOCK) as { packages: Record<string, Entry> };
  lock.packages[name] ??= {};
  change(lock.packages[name]);
  const path = join(folder, 'package-lock.json');
  writeFileSync(path, JSON.stringify(lock));
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/check-packages.ts'), path], {
    encoding: 'utf8',
  });
  return { status, complaints: stderr.split('\n').filter((line) => line.startsWith('package-lock.json: ')) };
}

describe('a lock file', () => {
  it('as it is fits', () => {
    expect(check(() => {})).toEqual({ status: 0, complaints: [] });
  });

  it.each<[string, (entry: Entry) => void]>([
    ['none', (entry) => delete entry.integrity],
    ['an empty one', (entry) => Object.assign(entry, { integrity: '' })],
    ['half of one', (entry) => Object.assign(entry, { integrity: String(entry.integrity).slice(0, 40) })],
    ['one by SHA-1', (entry) => Object.assign(entry, { integrity: `sha1-${'A'.repeat(27)}=` })],
    [
      'none, like those of other platforms, but is for this one',
      (entry) => {
        Object.assign(entry, { optional: true, os: ['linux'], cpu: ['arm64', 'x64'] });
        delete entry.integrity;
      },
    ],
  ])('is refused where a package has for its integrity %s', (_, change) => {
    expect(check(change)).toEqual({ status: 1, complaints: [`package-lock.json: ${CHOSEN} has no integrity`] });
  });

  it.each<[string, unknown]>([
    ['AGPL-3.0-only', 'AGPL-3.0-only'],
    ['two at once, of which one does not do', 'MIT AND GPL-3.0-only'],
    ['one that it keeps to itself', undefined],
    ['words', 'SEE LICENSE IN LICENSE.md'],
  ])('is refused where a package is under %s', (_, license) => {
    const { status, complaints } = check((entry) => Object.assign(entry, { license }));
    expect([status, complaints.length]).toEqual([1, 1]);
    expect(complaints[0]).toContain(`${CHOSEN} is under `);
  });

  it('takes a package that lets one choose a licence that does', () => {
    expect(check((entry) => Object.assign(entry, { license: 'MIT OR GPL-3.0-only' })).status).toBe(0);
  });

  it('is refused for a package that lies inside of another one, too', () => {
    const inner = `${CHOSEN}/node_modules/inner`;
    expect(check((entry) => Object.assign(entry, { version: '1.0.0', license: 'MIT' }), inner).complaints).toEqual([
      `package-lock.json: ${inner} has no integrity`,
    ]);
  });
});

it('a package that no source file uses is found', () => {
  const { include } = JSON.parse(readFileSync(join(ROOT, 'knip.json'), 'utf8'));
  const dependencies = { commander: '15.1.0', zod: '4.6.7' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'tried', type: 'module', dependencies }));
  writeFileSync(join(folder, 'knip.json'), JSON.stringify({ entry: ['main.ts'], project: ['**/*.ts'], include }));
  writeFileSync(join(folder, 'main.ts'), "import * as z from 'zod';\n\nz.string();\n");
  const knip = spawnSync(process.execPath, [join(ROOT, 'node_modules/knip/bin/knip.js')], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect([knip.status, knip.stdout]).toEqual([1, expect.stringMatching(/Unused dependencies \(1\)\ncommander\s/)]);
});
