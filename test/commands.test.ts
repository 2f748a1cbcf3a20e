import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const DOCUMENTS = globSync(['*.md', '{docs,packages,tools/deploy}/**/*.{md,yml}'], {
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
