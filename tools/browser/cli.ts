import { readFile, writeFile } from 'node:fs/promises';
import { buildPageModules } from './build.ts';

/** `npm run page-scripts` writes the modules; with `--check` it fails if one that is there is not in step. */
const PLACE = new URL('../../src/pages/', import.meta.url);

for (const [name, text] of Object.entries(await buildPageModules())) {
  const file = new URL(name, PLACE);
  if (!process.argv.includes('--check')) {
    await writeFile(file, text);
  } else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    process.stderr.write(`src/pages/${name} is not in step with page-scripts: run \`npm run page-scripts\`.\n`);
    process.exitCode = 1;
  }
}
