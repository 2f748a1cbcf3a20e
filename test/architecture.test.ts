import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The rooms and the rooms each may import from. ARCHITECTURE.md draws the same. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  domain: [],
  protocol: ['domain'],
  platform: ['domain', 'protocol'],
  http: ['domain', 'protocol', 'platform'],
  openapi: ['domain', 'protocol'],
  storage: ['domain', 'protocol'],
  'durable-objects': ['domain', 'protocol', 'platform', 'storage'],
  service: ['domain', 'platform', 'storage', 'durable-objects'],
  'render-gateway': ['domain', 'protocol', 'platform', 'http', 'storage', 'durable-objects', 'service'],
  src: ['domain', 'protocol', 'platform', 'http', 'storage', 'durable-objects', 'service', 'render-gateway'],
  'page-scripts': ['client'],
  'demo-writer': [],
  'render-host': ['domain', 'protocol', 'demo-writer'],
  client: ['domain', 'protocol', 'openapi'],
  local: ['domain', 'protocol', 'client', 'render-host', 'demo-writer'],
  bench: ['domain', 'protocol', 'client', 'durable-objects', 'render-host', 'demo-writer', 'local', 'test'],
};

/** Written by `npm run openapi`: nobody reads it from its beginning. */
const GENERATED = ['packages/client/shapes.ts'];

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|css)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes('/dist/'));
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'|new URL\('(\.[^']+\.ts)'/g);
  return [...found].map(([, imported, url]) => relative(ROOT, resolve(dirname(file), imported ?? url ?? '')));
}

describe('rooms', () => {
  for (const [room, allowed] of Object.entries(MAY_IMPORT)) {
    it(`${room} imports only from ${allowed.join(', ') || 'itself'}`, () => {
      const files = sourceFiles(join(ROOT, room));
      expect(files.length).toBeGreaterThan(0);
      const wrong = files.flatMap((file) =>
        importsOf(file)
          .map((path) => path.split('/')[0] ?? '')
          .filter((target) => target !== room && !allowed.includes(target))
          .map((target) => `${relative(ROOT, file)} imports from ${target}`),
      );
      expect(wrong).toEqual([]);
    });

    it(`${room} has no file over 300 lines`, () => {
      const long = sourceFiles(join(ROOT, room)).filter((file) => readFileSync(file, 'utf8').split('\n').length > 301);
      expect(long.map((file) => relative(ROOT, file)).filter((file) => !GENERATED.includes(file))).toEqual([]);
    });
  }
});

/** Every folder that a suite or a compilation names is there, and every folder of tests is named by one. */
it('the suites and the compilations name the folders of tests there are', () => {
  const there = readdirSync(join(ROOT, 'test'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  const configs = ['tsconfig.node.json', 'tsconfig.test.json', 'tsconfig.model.json'];
  const compiled = configs.flatMap((file): string[] => JSON.parse(readFileSync(join(ROOT, file), 'utf8')).include);
  const named = compiled.map((path) => /^test\/([\w-]+)$/.exec(path)?.[1]).filter((name) => name !== undefined);
  expect([...new Set(named)].sort()).toEqual(there);
  const suites = readFileSync(join(ROOT, 'vitest.config.ts'), 'utf8');
  const run = [...suites.matchAll(/'test\/(?:\{([\w,-]+)\}|([\w-]+))\/\*\*/g)].flatMap(([, many, one]) =>
    (many ?? one ?? '').split(','),
  );
  // Helpers of several suites, and what a command of its own runs.
  expect([...run, 'commands', 'gateway', 'hostile', 'soak', 'support'].sort()).toEqual(there);
});

/** What nothing here calls by name: the runtime does, or (`size`) the operators' view that is to come. */
const CALLED_FROM_OUTSIDE = new Set(['constructor', 'alarm', 'lookup', 'size']);

/** Knip looks at exports; the members of a class are looked at here. */
it('every method of a class has a caller that is not a test', () => {
  const source = Object.keys(MAY_IMPORT)
    .flatMap((room) => sourceFiles(join(ROOT, room)))
    .map((file) => ({ file: relative(ROOT, file), text: readFileSync(file, 'utf8') }));
  const called = new Set(source.flatMap(({ text }) => [...text.matchAll(/\.(\w+)\b/g)].map(([, name]) => name)));
  const uncalled = source
    .filter(({ text }) => /^(export )?class /m.test(text))
    .flatMap(({ file, text }) =>
      [...text.matchAll(/^ {2}(?:override |async |get |\*)*([a-z]\w*)\([^)]*\)[^;]*\{$/gm)]
        .map(([, name = '']) => name)
        .filter((name) => !CALLED_FROM_OUTSIDE.has(name) && !['if', 'for', 'while', 'switch', 'catch'].includes(name))
        .filter((name) => !called.has(name))
        .map((name) => `${file}: ${name}`),
    );
  expect(uncalled).toEqual([]);
});
