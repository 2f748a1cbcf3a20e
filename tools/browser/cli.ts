import { readFile, writeFile } from 'node:fs/promises';
import { buildPageModules } from './build.ts';

/** `npm run page-scripts` writes the modules; with `--check` it fails if a module is outdated. */
const FOLDER = new URL('../../src/pages/', import.meta.url);

for (const [name, text] of Object.entries(await buildPageModules())) {
  const file = new URL(name, FOLDER);
  if (!process.argv.includes('--check')) {
    await writeFile(file, text);
  } else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    process.stderr.write(`src/pages/${name} is outdated: run \`npm run page-scripts\`.\n`);
    process.exitCode = 1;
  }
}
