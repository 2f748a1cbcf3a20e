import { readFile, writeFile } from 'node:fs/promises';
import { formatClientTypes } from './client-types.ts';
import { formatDocument } from './format-document.ts';

/** `npm run openapi` writes what is made of the shapes; with `--check` it fails if what is there is not in step. */
const document = formatDocument();
const FILES = {
  'src/openapi.json': document,
  'packages/client/shapes.ts': formatClientTypes(JSON.parse(document)),
};

for (const [path, text] of Object.entries(FILES)) {
  const file = new URL(`../../${path}`, import.meta.url);
  if (!process.argv.includes('--check')) {
    await writeFile(file, text);
  } else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    process.stderr.write(`${path} is not in step with the code: run \`npm run openapi\`.\n`);
    process.exitCode = 1;
  }
}
