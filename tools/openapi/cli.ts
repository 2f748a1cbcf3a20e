import { readFile, writeFile } from 'node:fs/promises';
import { formatAccountTypes, formatOperatorTypes } from './client-types.ts';
import { formatDocument } from './format-document.ts';
import { loadOperations } from './load-operations.ts';

/** Writes the files that are generated from the operations. `--check` fails if one is out of date. */
const operations = loadOperations();
const text = formatDocument(operations);
const document = JSON.parse(text);
const FILES = {
  'src/static/openapi.json': text,
  'packages/client/shapes.ts': formatAccountTypes(document, operations),
  'packages/client/operator-shapes.ts': formatOperatorTypes(document, operations),
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
