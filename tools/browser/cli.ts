import { readFile, writeFile } from 'node:fs/promises';
import { buildFonts, buildPageFiles } from './build.ts';

/** `npm run page-scripts` writes the files; with `--check` it fails if one is outdated. */
const FOLDER = new URL('../../src/', import.meta.url);

for (const [name, content] of Object.entries({ ...(await buildPageFiles()), ...(await buildFonts()) })) {
  const file = new URL(name, FOLDER);
  const bytes = Buffer.from(content);
  if (!process.argv.includes('--check')) {
    await writeFile(file, bytes);
  } else if (!(await readFile(file).catch(() => Buffer.alloc(0))).equals(bytes)) {
    process.stderr.write(`src/${name} is outdated: run \`npm run page-scripts\`.\n`);
    process.exitCode = 1;
  }
}
