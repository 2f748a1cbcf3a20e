import { existsSync, globSync, readFileSync } from 'node:fs';
import { coerce, satisfies } from 'semver';
import { describe, expect, it } from 'vitest';

const DOCUMENTS = globSync(['*.md', '{docs,packages,tools/deploy}/**/*.{md,yml,service}'], {
  exclude: ['**/node_modules', '**/dist'],
});

it.each(DOCUMENTS)('%s names scripts and programs that exist', (path) => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const text = readFileSync(path, 'utf8');
  const named = [...text.matchAll(/npm run (?:--silent |-s )?([\w:-]+)\b(?! -w)/g)].map(([, name = '']) => name);
  const programs = [...text.matchAll(/\bnode ([\w.-]+\/[\w./-]+\.[tj]s)|tools\/bench\/[\w-]+\.bench\.ts/g)];
  const missing = programs.map(([whole, path = whole]) => path).filter((program) => !existsSync(program));
  expect([...named.filter((name) => !(name in scripts)), ...missing]).toEqual([]);
});

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

interface Package {
  readonly engines?: { readonly node?: string };
  readonly optional?: boolean;
}

const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, Package> };
const least = engines.node.replace('>=', '');
const atLeast = String(coerce(least));

const allows = (range: string, version: string): boolean => satisfies(version, range, { loose: true });

describe('the Node that package.json asks for', () => {
  it('is enough for every package, so that npm ci warns of none', () => {
    const asking = Object.entries(lock.packages).filter(([, { optional }]) => optional !== true);
    expect(asking.length).toBeGreaterThan(100);
    const wanting = asking.filter(([, { engines: own }]) => own?.node && !allows(own.node, atLeast));
    expect(wanting.map(([path]) => path)).toEqual([]);
  });

  it('is no newer than it has to be', () => {
    const [major, minor] = atLeast.split('.').map(Number);
    const before = `${major}.${(minor ?? 0) - 1}.0`;
    const wanting = Object.values(lock.packages).filter(({ engines: own }) => own?.node && !allows(own.node, before));
    expect(wanting.length).toBeGreaterThan(1);
  });

  it('is the one in the lock file', () => {
    expect(lock.packages['']?.engines).toEqual(engines);
  });

  it.each(['README.md', 'docs/render-host.md', 'docs/gpu-host.md'])('is the one that %s names', (path) => {
    const named = read(path).match(/Node \d+(\.\d+)?(?= or newer)/g);
    expect(new Set(named)).toEqual(new Set([`Node ${least}`]));
  });
});
