import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

interface Package {
  readonly engines?: { readonly node?: string };
  readonly optional?: boolean;
}

const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, Package> };
const least = engines.node.replace('>=', '');

type Version = readonly number[];

const versionOf = (text: string): Version => {
  const parts = text.split('.').map((part) => (part === 'x' ? 0 : Number(part)));
  if (parts.some(Number.isNaN)) throw new Error(`not a version: ${text}`);
  return [0, 1, 2].map((i) => parts[i] ?? 0);
};

const compare = (a: Version, b: Version): number =>
  a.map((part, i) => part - (b[i] ?? 0)).find((difference) => difference !== 0) ?? 0;

/** Whether a range of npm's allows a version, as far as the ranges in the lock file go: `^20.19.0 || >= 22.12`. */
function allows(range: string, version: Version): boolean {
  return range.split('||').some((alternative) =>
    alternative
      .trim()
      .replace(/([<>=^]) +/g, '$1')
      .split(' ')
      .every((comparator) => {
        const [, sign, text = ''] = /^(>=|<|\^|)(.+)$/.exec(comparator) ?? [];
        const bound = versionOf(text);
        if (sign === '>=') return compare(version, bound) >= 0;
        if (sign === '<') return compare(version, bound) < 0;
        return version[0] === bound[0] && compare(version, bound) >= 0;
      }),
  );
}

describe('the Node that package.json asks for', () => {
  it('is enough for every package, so that npm ci warns of none', () => {
    const asking = Object.entries(lock.packages).filter(([, { optional }]) => optional !== true);
    expect(asking.length).toBeGreaterThan(100);
    const wanting = asking.filter(([, { engines: own }]) => own?.node && !allows(own.node, versionOf(least)));
    expect(wanting.map(([path]) => path)).toEqual([]);
  });

  it('is no newer than it has to be', () => {
    const before = versionOf(least).with(1, (versionOf(least)[1] ?? 0) - 1);
    const wanting = Object.values(lock.packages).filter(({ engines: own }) => own?.node && !allows(own.node, before));
    expect(wanting.length).toBeGreaterThan(1);
  });

  it('is the one in the lock file', () => {
    expect(lock.packages['']?.engines).toEqual(engines);
  });

  it.each(['README.md', 'docs/render-host.md', 'docs/gpu-host.md'])('is the one that %s names', (path) => {
    const named = read(path).match(/Node \d+(\.\d+)?(?= or newer)/g);
    expect(named).toEqual([`Node ${least}`]);
  });
});
