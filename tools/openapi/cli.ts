import { readFile, writeFile } from 'node:fs/promises';
import { LIMITS } from '#domain/operate/limits.ts';
import { type DocumentRoute, href, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { buildDocument, DOCUMENT_ROUTES } from './build-document.ts';
import { faultyDescriptions } from './check-descriptions.ts';
import { formatAccountCommands, formatMethods, formatOperatorCommands } from './client-tables.ts';
import { formatAccountTypes, formatOperatorTypes } from './client-types.ts';
import { loadOperations } from './described-operation.ts';
import { formatMcpTools } from './mcp-tools.ts';
import { formatPython } from './python-client.ts';

/**
 * Writes the files that are generated from the operations. `--check` fails if one is out of date. Both fail if a
 * description is faulty.
 */
const operations = loadOperations();
const text = (route: DocumentRoute) => buildDocument(route, operations);
const [account, operator] = [PUBLIC_ROUTES.openApi, PUBLIC_ROUTES.operatorOpenApi].map((route) =>
  JSON.parse(text(route)),
);
/** Whom a limit of each group is for. */
const OWNERS: Readonly<Record<keyof typeof LIMITS, string>> = {
  account: 'an account',
  ingest: 'a key of scope `ingest`',
  fixed: 'an account',
  test: "an account's test keys",
  key: 'a key',
  host: 'a host',
  address: 'an address',
  job: 'a job',
  upload: 'an upload',
  isolate: 'an isolate',
};
const LIMITS_TABLE = /(\| at most .*\n\| ---.*\n)(\|.*\n)*/;

/** Replaces the table of limits in a document. Throws if it has none. */
function withLimits(document: string): string {
  if (!LIMITS_TABLE.test(document)) throw new Error('docs/security.md has no table of limits');
  const rows = Object.entries(LIMITS).flatMap(([group, limits]) =>
    Object.values(limits).map(({ label, unit, variable, preset, beyond }) => {
      const owner = OWNERS[group as keyof typeof LIMITS];
      const named = variable ? `, \`${variable}\`` : '';
      return `| ${label} | ${owner} | ${unit} | ${preset.toLocaleString('en')}${named} | ${beyond} |`;
    }),
  );
  return document.replace(LIMITS_TABLE, `$1${rows.join('\n')}\n`);
}

const FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(DOCUMENT_ROUTES.map((route) => [`src/static${href(route)}`, text(route)])),
  'src/static/mcp/tools.json': formatMcpTools(),
  'packages/client/shapes.ts': [formatAccountTypes, formatMethods, formatAccountCommands]
    .map((format) => format(account, operations))
    .join(''),
  'packages/client/operator-shapes.ts':
    formatOperatorTypes(operator, account, operations) + formatOperatorCommands(operator, operations),
  ...formatPython(account, operations),
  'docs/security.md': withLimits(await readFile(new URL('../../docs/security.md', import.meta.url), 'utf8')),
};

for (const [path, text] of Object.entries(FILES)) {
  for (const fault of path.endsWith('.json') ? faultyDescriptions(JSON.parse(text)) : []) {
    process.stderr.write(`${path}${fault}\n`);
    process.exitCode = 1;
  }
  const file = new URL(`../../${path}`, import.meta.url);
  if (!process.argv.includes('--check')) {
    await writeFile(file, text);
  } else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    process.stderr.write(`${path} is not in step with the code: run \`npm run openapi\`.\n`);
    process.exitCode = 1;
  }
}
