import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SERVICE_ROOMS } from '#test/support/service-bundle.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The folders of source, and what each may import from. ARCHITECTURE.md shows the most important as arrows. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  'core/domain': [],
  'core/protocol': ['domain'],
  'core/platform': ['domain', 'protocol'],
  'core/http': ['domain', 'protocol', 'platform'],
  'core/storage': ['domain', 'protocol'],
  'core/rpc': ['domain', 'protocol'],
  'core/service': ['domain', 'protocol', 'platform', 'http', 'storage', 'rpc'],
  'durable-objects': ['domain', 'protocol', 'platform', 'storage', 'rpc', 'service'],
  'render-gateway': ['domain', 'protocol', 'platform', 'http', 'storage', 'rpc', 'service', 'tracks'],
  // Only src/worker.ts imports the objects.
  src: [
    ...['domain', 'protocol', 'platform', 'http', 'storage', 'rpc', 'service'],
    ...['tracks', 'durable-objects', 'render-gateway'],
  ],
  'packages/tracks': ['domain', 'scene'],
  'packages/demo-format': [],
  'packages/scene': ['domain', 'demo-format'],
  'packages/render-host': ['domain', 'protocol', 'demo-format', 'scene', 'tracks'],
  'packages/relay': ['domain', 'protocol', 'demo-format', 'client'],
  // Browsers get another module for its `#save-body`.
  'packages/client': ['domain', 'protocol', 'save-body'],
  'packages/web': ['domain', 'protocol', 'client', 'scene', 'tracks'],
  'packages/stack': ['domain', 'protocol', 'client', 'render-host'],
  'test/demo-writer': ['demo-format'],
  // It loads the operations of `src/operations.ts`.
  'tools/openapi': ['domain', 'protocol', 'src'],
  'tools/bench': [
    ...['domain', 'protocol', 'rpc', 'durable-objects', 'client', 'render-host', 'scene', 'stack'],
    ...['test', 'demo-writer'],
  ],
};

/** The rooms within a folder: each imports only from rooms later in its list. */
const ROOMS: Record<string, readonly string[]> = {
  'core/domain': ['operate', 'job', 'clip', 'host', 'account', 'failure', 'lib'],
  'core/protocol': ['examples', 'operate', 'account', 'rule', 'demo', 'host', 'job', 'clip', 'lib'],
  'core/storage': ['operate', 'account', 'demo', 'rule', 'clip', 'host', 'job', 'lib', 'schema'],
  'core/service': ['rule', 'demo', 'job', 'account', 'clip', 'host', 'operate', 'lib'],
  'durable-objects': ['purge-queue', 'push-host', 'render-job', 'dispatcher'],
  src: ['agents', 'cron', 'operate', 'docs', 'viewing', 'api', 'page'],
  'packages/web': ['console', 'studio', 'replay', 'parts'],
};

const ALIASES = Object.entries<string>(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).imports).map(
  ([name, path]): [string, string] => [name.replace('*', ''), join(ROOT, path.replace('*', ''))],
);

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|css)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/\/(dist|node_modules)\//.test(file));
}

/** The paths that a file imports, by alias or relative; a package's own alias as it is. */
function importsOf(file: string): string[] {
  const found = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([.#][^']+)'|new URL\('(\.[^']+\.ts)'/g);
  return [...found].map(([, imported, url]) => {
    const path = imported ?? url ?? '';
    const [alias, folder] = ALIASES.find(([name]) => path.startsWith(name)) ?? [];
    if (folder !== undefined) return join(folder, path.slice(alias?.length));
    return path.startsWith('#') ? path.slice(1) : resolve(dirname(file), path);
  });
}

/** The folder that each import of a file names, where it leaves its own: `domain` of `#domain/lib/ids.ts`. */
function foldersImported(file: string, folder: string): string[] {
  return importsOf(file)
    .filter((target) => !target.startsWith(`${join(ROOT, folder)}/`))
    .map((target) => {
      const other = Object.keys(MAY_IMPORT).find((name) => target.startsWith(`${join(ROOT, name)}/`));
      return (other ?? relative(ROOT, target)).replace(other ? /.*\// : /\/.*/, '');
    });
}

/** The rooms that import each other, as `a, b`: each can be reached from the other. */
function circles(): string[] {
  const folders = Object.keys(MAY_IMPORT).filter((folder) => !folder.startsWith('test/'));
  const files = folders.flatMap((folder) => sourceFiles(join(ROOT, folder)));
  const reach = new Map<string, Set<string>>();
  for (const file of files) {
    const room = dirname(file);
    const others = importsOf(file).map(dirname);
    const next = reach.get(room) ?? new Set();
    for (const other of others) if (other !== room) next.add(other);
    reach.set(room, next);
  }
  // Reaches of reaches, until none is new.
  let count = -1;
  const size = () => [...reach.values()].reduce((sum, next) => sum + next.size, 0);
  while (count !== size()) {
    count = size();
    for (const next of reach.values())
      for (const other of [...next]) for (const far of reach.get(other) ?? []) next.add(far);
  }
  return [...reach].filter(([room, next]) => next.has(room)).map(([room]) => relative(ROOT, room));
}

describe('folders', () => {
  it.each(Object.entries(MAY_IMPORT))('%s imports only from %j', (folder, allowed) => {
    const files = sourceFiles(join(ROOT, folder));
    expect(files.length).toBeGreaterThan(0);
    const wrong = files.flatMap((file) =>
      foldersImported(file, folder)
        .filter((target) => !allowed.includes(target))
        .map((target) => `${relative(ROOT, file)} imports from ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it.each(Object.entries(ROOMS))('the rooms of %s import only from those behind them: %j', (folder, rooms) => {
    const roomOf = (path: string) => relative(join(ROOT, folder), path).split('/').slice(0, -1)[0] ?? '';
    const files = sourceFiles(join(ROOT, folder)).filter((file) => rooms.includes(roomOf(file)));
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith(`${join(ROOT, folder)}/`))
        .filter((target) => rooms.indexOf(roomOf(target)) < rooms.indexOf(roomOf(file)))
        .filter((target) => rooms.includes(roomOf(target)))
        .map((target) => `${relative(ROOT, file)} imports ${relative(ROOT, target)}`),
    );
    expect(wrong).toEqual([]);
    expect(rooms.filter((room) => !files.some((file) => roomOf(file) === room))).toEqual([]);
  });

  it('import each other in no circle', () => {
    expect(circles()).toEqual([]);
  });
});

it('the bundle of the tests has each folder of the service, and no folder that is gone', () => {
  const ofService = Object.keys(MAY_IMPORT).filter((folder) => !/^(packages|test|tools)\//.test(folder));
  expect(ofService.filter((folder) => !SERVICE_ROOMS.includes(folder.replace(/\/.*/, '')))).toEqual([]);
  expect(SERVICE_ROOMS.filter((room) => sourceFiles(join(ROOT, room)).length === 0)).toEqual([]);
});

it('only the entry of the Worker imports the classes of the objects', () => {
  const importers = sourceFiles(join(ROOT, 'src')).filter((file) =>
    foldersImported(file, 'src').includes('durable-objects'),
  );
  expect(importers).toEqual([join(ROOT, 'src/worker.ts')]);
});

it('the kind of work is tested in one file of the machine and one of the stored request', () => {
  const files = ['core', 'durable-objects', 'render-gateway', 'src'].flatMap((folder) =>
    sourceFiles(join(ROOT, folder)),
  );
  const tested = files.filter((file) => /(case|[!=]==) '(clip|inspection)'/.test(readFileSync(file, 'utf8')));
  expect(tested.map((file) => relative(ROOT, file)).sort()).toEqual([
    'core/domain/job/work.ts',
    'durable-objects/render-job/stored-request.ts',
  ]);
});

/** A renamed test must still belong to a suite. */
it('each test is in a suite, and each pattern of a suite matches a test', () => {
  const config = readFileSync(join(ROOT, 'vitest.config.ts'), 'utf8');
  const patterns = [...config.matchAll(/'(test\/[^']*\.test\.ts)'/g)].flatMap(([, pattern = '']) =>
    expandBraces(pattern),
  );
  const found = patterns.map((pattern) => globSync(pattern, { cwd: ROOT }));
  expect(patterns.filter((_, at) => found[at]?.length === 0)).toEqual([]);
  const tests = execFileSync('git', ['ls-files', 'test/*.test.ts'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  expect([...new Set(found.flat())].sort()).toEqual(tests.sort());
});

/** `a{b,c}` is `ab` and `ac`: each alternative has to match. */
function expandBraces(pattern: string): string[] {
  const [all = '', inner = ''] = /\{([^{}]*)\}/.exec(pattern) ?? [];
  return all === '' ? [pattern] : inner.split(',').flatMap((one) => expandBraces(pattern.replace(all, one)));
}

const declaredTwice = (): string[] => {
  const files = new Map<string, string[]>();
  const folders = Object.keys(MAY_IMPORT).filter((folder) => !folder.startsWith('test/'));
  for (const file of folders.flatMap((folder) => sourceFiles(join(ROOT, folder)))) {
    // Of two modules, one is for Node and one for browsers.
    if (/\/client\/((operator-)?shapes|no-files)\.ts$/.test(file)) continue;
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(
      /^export (?:async |abstract )*(?:(?:interface|type|class) (?=\w)|function\*? (?=[a-z]))(\w+)/gm,
    ))
      files.set(name, [...(files.get(name) ?? []), file]);
  }
  return [...files].flatMap(([name, found]) => (found.length > 1 ? [name] : [])).sort();
};

it('an exported type or function has a name of its own', () => {
  expect(declaredTwice().join(' ')).toBe('');
});

/** A clone has the files that `git` lists. */
it('at most twenty entries are visible at the top', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  const entries = new Set(files.map((file) => file.replace(/\/.*/, '')).filter((name) => !name.startsWith('.')));
  expect(entries.size).toBeLessThanOrEqual(20);
});

it('every path that a document names exists', () => {
  const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  const named = documents.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const paths = text.matchAll(
      /`((?:core|src|packages|durable-objects|render-gateway|tools|test|migrations|docs)\/[^`\s*<>{}#]+)`/g,
    );
    return [...paths].map(([, path = '']) => ({ file, path }));
  });
  expect(named.filter(({ path }) => !existsSync(join(ROOT, path)))).toEqual([]);
});

/** Names that only the runtime calls. (`size`: reserved for the operators' view.) */
const CALLED_FROM_OUTSIDE = new Set(['constructor', 'alarm', 'lookup', 'size']);

/** Knip checks exports; this checks the members of classes. */
it('every method of a class has a caller that is not a test', () => {
  const source = Object.keys(MAY_IMPORT)
    .flatMap((folder) => sourceFiles(join(ROOT, folder)))
    .map((file) => ({ file: relative(ROOT, file), text: readFileSync(file, 'utf8') }));
  const called = new Set(source.flatMap(({ text }) => [...text.matchAll(/\.(\w+)\b/g)].map(([, name]) => name)));
  const uncalled = source
    .filter(({ text }) => /^(export )?(abstract )?class /m.test(text))
    .flatMap(({ file, text }) =>
      [...text.matchAll(/^ {2}(?:override |async |get |\*)*([a-z]\w*)\([^)]*\)[^;]*\{$/gm)]
        .map(([, name = '']) => name)
        .filter((name) => !CALLED_FROM_OUTSIDE.has(name) && !['if', 'for', 'while', 'switch', 'catch'].includes(name))
        .filter((name) => !called.has(name))
        .map((name) => `${file}: ${name}`),
    );
  expect(uncalled).toEqual([]);
});
