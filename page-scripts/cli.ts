import { readFile, writeFile } from 'node:fs/promises';
import { buildPageScripts } from './build.ts';

/** `npm run page-scripts` writes the module; with `--check` it fails if the one that is there is not in step. */
const FILE = new URL('page-scripts.ts', new URL('../src/pages/', import.meta.url));

const text = await buildPageScripts();
if (!process.argv.includes('--check')) {
  await writeFile(FILE, text);
} else if ((await readFile(FILE, 'utf8').catch(() => '')) !== text) {
  process.stderr.write('src/pages/page-scripts.ts is not in step with page-scripts: run `npm run page-scripts`.\n');
  process.exitCode = 1;
}
