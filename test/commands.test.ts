import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { COMMANDS } from './commands/commands.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(ROOT + path, 'utf8');
const SCRIPTS: Record<string, string> = JSON.parse(read('package.json')).scripts;
const glob = (pattern: string) => globSync(pattern, { cwd: ROOT });
const DOCUMENTS = [...glob('*.md'), ...glob('{docs,packages,tools/deploy}/**/*.{md,yml}')].filter(
  (path) => !/node_modules|dist/.test(path) && path !== 'CHANGELOG.md',
);
/** Joins commands over several lines. */
const WORDS = DOCUMENTS.map(read).join('\n').replaceAll('\\\n', ' ');

/** Returns the text of files, and of the files in folders. */
function textOf(paths: readonly string[]): string {
  const files = paths.flatMap((path) => (statSync(ROOT + path).isDirectory() ? glob(`${path}/**/*.{ts,mjs}`) : path));
  return files.map(read).join('\n');
}

function programsOf(name: string): string[] {
  const script = SCRIPTS[name] ?? `node ${name}`;
  return [...script.matchAll(/node ([\w/.-]+\.ts)/g)].map(([, path = '']) => path);
}

/** Returns what the documents write after a command, to the end of its line or quotation. */
function namedIn(name: string): string {
  const call = name.endsWith('.ts') ? `npx node ${name}` : `npm run (?:--silent )?${name}(?![\\w:-])`;
  return [...WORDS.matchAll(new RegExp(`${call}([^\`\\n|#]*)`, 'g'))].map(([, rest = '']) => rest).join(' ');
}

it('runs every npm script, every bench, and every documented command in a short form', () => {
  const named = [...WORDS.matchAll(/npm run (?:--silent |-s )?([\w:-]+)/g)].map(([, name = '']) => name);
  const benches = [
    ...glob('tools/bench/*.bench.ts'),
    ...[...WORDS.matchAll(/tools\/bench\/[\w-]+\.bench\.ts/g)].map(([path]) => path),
  ];
  const scripted = new Set(Object.keys(SCRIPTS).flatMap((name) => (name.startsWith('bench:') ? programsOf(name) : [])));
  const all = [...Object.keys(SCRIPTS), ...named, ...benches.filter((path) => !scripted.has(path))];
  expect(Object.keys(COMMANDS).sort()).toEqual([...new Set(all)].sort());
  const missing = Object.values(COMMANDS).flatMap(({ tests = [] }) => tests.filter((path) => !existsSync(ROOT + path)));
  expect(missing).toEqual([]);
  const neither = Object.entries(COMMANDS).filter(
    ([, { tests = [], short = [] }]) => tests.length + short.length === 0,
  );
  expect(neither).toEqual([]);
});

it.each(Object.entries(COMMANDS))(
  '%s: a short form has each of its options, and each option that a document gives it',
  (name, command) => {
    const { tests = [], short = [], sources = programsOf(name), untried = {} } = command;
    const own = [...textOf(sources).matchAll(/['"`](?:-\w, )?--([a-z][a-z0-9-]+)/g)].map(([, option = '']) => option);
    own.push(
      ...[...textOf(sources).matchAll(/'?\b([a-z][a-z-]*)'?: \{ type: '(?:string|boolean)'/g)].map(
        ([, option = '']) => option,
      ),
    );
    const named = [...namedIn(name).matchAll(/ --([a-z][a-z0-9-]+)/g)].map(([, option = '']) => option);
    const tried = `${textOf(tests)} ${short.join(' ')}`;
    const isTried = (option: string): boolean => {
      if (tried.includes(`--${option}`)) return true;
      // A test that calls the program's function instead of the program names the option as the code does.
      const inCode = option.replace(/-s$/, '-seconds').replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
      return new RegExp(`\\b${inCode}\\b`).test(tried);
    };
    const options = new Set([...own, ...named].filter((option) => option !== 'help'));
    expect([...options].filter((option) => !isTried(option) && !(option in untried))).toEqual([]);
    expect(Object.keys(untried).filter((option) => !options.has(option))).toEqual([]);
  },
);
