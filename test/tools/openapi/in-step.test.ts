import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { buildDocument, DOCUMENT_ROUTES } from '#openapi/build-document.ts';
import { loadOperations } from '#openapi/load-operations.ts';
import { href } from '#protocol/routes.ts';

it.each(DOCUMENT_ROUTES)('%s is in step with the code: `npm run openapi` changes nothing', (route) => {
  const committed = readFileSync(new URL(`../../../src/static${href(route)}`, import.meta.url), 'utf8');
  expect(buildDocument(route, loadOperations()) === committed, 'run `npm run openapi`').toBe(true);
});
