import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const DOCUMENTS = globSync(['*.md', '{docs,packages,tools/deploy}/**/*.{md,yml}'], { exclude: ['**/node_modules'] });

it.each(DOCUMENTS)('%s names npm scripts and benches that exist', (path) => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const text = readFileSync(path, 'utf8');
  const named = [...text.matchAll(/npm run (?:--silent |-s )?([\w:-]+)/g)].map(([, name = '']) => name);
  const benches = [...text.matchAll(/tools\/bench\/[\w-]+\.bench\.ts/g)].map(([bench]) => bench);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
  expect(benches.filter((bench) => !existsSync(bench))).toEqual([]);
});
