import { readFile, writeFile } from 'node:fs/promises';
import { buildPageFiles } from './build.ts';

/** `npm run page-scripts` writes the files; with `--check` it fails if one is outdated. */
const FOLDER = new URL('../../src/', import.meta.url);

for (const [name, text] of Object.entries(await buildPageFiles())) {
  const file = new URL(name, FOLDER);
  if (!process.argv.includes('--check')) {
    await writeFile(file, text);
  } else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    process.stderr.write(`src/${name} is outdated: run \`npm run page-scripts\`.\n`);
    process.exitCode = 1;
  }
}
