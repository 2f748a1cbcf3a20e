import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { buildDocument, DOCUMENT_ROUTES } from '#openapi/build-document.ts';
import { faultyDescriptions } from '#openapi/check-descriptions.ts';
import { buildDocument, DOCUMENT_ROUTES, faultyDescriptions } from '#openapi/build-document.ts';
import { loadOperations } from '#openapi/described-operation.ts';
import { href } from '#protocol/routes.ts';

it.each(DOCUMENT_ROUTES)(
  '%s is in step with the code: `npm run openapi` changes nothing',
  { tags: ['long'] },
  (route) => {
    const committed = readFileSync(new URL(`../../../src/static${href(route)}`, import.meta.url), 'utf8');
    expect(buildDocument(route, loadOperations()) === committed, 'run `npm run openapi`').toBe(true);
  },
);

it.each([
  ['The stable name for programs. Null for unnamed hosts.', undefined],
  ['`true` if the request changed nothing.', undefined],
  ['Whether the help page is shown.', undefined],
  ['The clip.', 'has fewer than 4 words'],
  ['', 'has fewer than 4 words'],
  ['What it is called, for programs.', 'begins with no noun or verb'],
  ['Null, where nothing was sent.', 'begins with no noun or verb'],
  ['The name that the host goes by.', 'has "goes by"'],
  ['A player, by his place in `players`.', 'has "his"'],
])('a description that says "%s" %s', (description, fault) => {
  const faults = faultyDescriptions({ schemas: { Host: { description } } });
  expect(faults).toEqual(fault ? [`/schemas/Host: "${description}" ${fault}`] : []);
});

it('a title may be short, and examples are no descriptions', () => {
  expect(faultyDescriptions({ summary: 'List clips', example: { description: 'It' } })).toEqual([]);
});
