import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { formatDocument } from '#openapi/format-document.ts';
import { loadOperations } from '#openapi/load-operations.ts';

const COMMITTED = readFileSync(new URL('../../../src/static/openapi.json', import.meta.url), 'utf8');

it('the OpenAPI document is in step with the code: `npm run openapi` changes nothing', () => {
  expect(formatDocument(loadOperations()) === COMMITTED, 'run `npm run openapi`').toBe(true);
});
