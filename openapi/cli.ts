import { readFile, writeFile } from 'node:fs/promises';
import { formatDocument } from './format-document.ts';

/** `npm run openapi` writes the document; with `--check` it fails if the one that is there is not in step. */
const FILE = new URL('../src/openapi.json', import.meta.url);

const text = formatDocument();
if (!process.argv.includes('--check')) {
  await writeFile(FILE, text);
} else if ((await readFile(FILE, 'utf8').catch(() => '')) !== text) {
  process.stderr.write('src/openapi.json is not in step with the code: run `npm run openapi`.\n');
  process.exitCode = 1;
}
