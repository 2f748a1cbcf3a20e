import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildDocument, DOCUMENT_ROUTES } from '#openapi/build-document.ts';
import { faultyDescriptions } from '#openapi/check-descriptions.ts';
import { answerOf, bodyOf } from '#openapi/content.ts';
import { type DescribedOperation, loadOperations } from '#openapi/described-operation.ts';
import { PROBLEM_KINDS, problemExample } from '#openapi/problems.ts';
import { WEBHOOKS } from '#openapi/webhooks.ts';
import { parseSubmit } from '#protocol/clip/submit.ts';
import type { Content, JsonContent } from '#protocol/lib/operation-words.ts';
import { Problem } from '#protocol/lib/problem.ts';
import { type DocumentRoute, href, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { bundleWorker } from '#stack/service.ts';
import { fuzzedSubmit } from '#test/conformance/support/arbitraries.ts';
import { DOCUMENT, isBeyondSchema, schemaTakes } from '#test/core/protocol/published-schema.ts';

const STATIC = new URL('../../../src/static', import.meta.url).pathname;
const TYPES = 'tools/openapi-typescript/node_modules/.bin';
const documentAt = (route: DocumentRoute): OpenApiDocument => JSON.parse(readFileSync(STATIC + href(route), 'utf8'));

type PathItem = Readonly<
  Record<
    string,
    {
      readonly operationId: string;
      readonly tags: readonly string[];
      readonly security: readonly object[];
      readonly requestBody?: { content: Record<string, { examples?: Record<string, { value: unknown }> }> };
    }
  >
>;

/** What the tests read of a document. */
interface OpenApiDocument {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks?: Readonly<Record<string, PathItem>>;
  readonly components: { readonly securitySchemes: object };
}

const OPERATIONS = loadOperations();

function contentsOf(operation: DescribedOperation): Content[] {
  const answers = Object.keys(operation.words.answers).map((status) => answerOf(operation, Number(status)));
  return [bodyOf(operation), ...answers].filter((content) => content !== undefined);
}

/** Parses an example with its schema; parsing must not drop anything. */
function expectFit({ schema, examples }: JsonContent): void {
  expect(Object.keys(examples).length).toBeGreaterThan(0);
  for (const { value } of Object.values(examples)) expect(schema.parse(value)).toMatchObject(Object(value));
}

describe('the OpenAPI documents', () => {
  it.each<[DocumentRoute, string[]]>([
    [PUBLIC_ROUTES.openApi, ['apiKey', 'webhookAuthHeader']],
    [PUBLIC_ROUTES.gatewayOpenApi, ['hostToken', 'registrationToken']],
    [PUBLIC_ROUTES.operatorOpenApi, ['consoleSession', 'metricsToken', 'operatorToken']],
  ])('%s has the operations of its audience only', (route, schemes) => {
    const { paths, components, tags, ...document } = documentAt(route);
    expect(Object.keys(components.securitySchemes).sort()).toEqual(schemes);
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    const used = operations.flatMap(({ security }) => security.flatMap((one) => Object.keys(one)));
    expect(schemes).toEqual(expect.arrayContaining([...new Set(used)]));
    const webhooks = Object.values(document.webhooks ?? {}).map(({ post }) => post);
    expect(new Set([...operations, ...webhooks].flatMap((one) => one?.tags))).toEqual(
      new Set(tags.map(({ name }) => name)),
    );
  });

  it('have each operation once', () => {
    const ids = DOCUMENT_ROUTES.flatMap((route) => {
      return Object.values(documentAt(route).paths).flatMap((path) =>
        Object.values(path).map((one) => one.operationId),
      );
    });
    expect(ids.toSorted()).toEqual(OPERATIONS.map(({ id }) => id).toSorted());
  });
});

/** Runs a program of a package. Fails the test with its output if it fails. */
const run = (file: string, ...args: string[]) =>
  promisify(execFile)(new URL(`../../../${file}`, import.meta.url).pathname, args).catch(({ stdout, stderr }) => {
    throw new Error(`${stdout}\n${stderr}`);
  });

it('openapi-typescript with its defaults makes types that take the body in the README and each example', {
  tags: ['long'],
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-types-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  const [, body] = /api\/clips[^{]*-d '(\{[^']*\})'/.exec(readme) ?? [];
  const lines = [
    `const readme: clients['/api/clips']['post']['requestBody']['content']['application/json'] = ${body};`,
  ];
  for (const route of DOCUMENT_ROUTES) {
    const name = basename(href(route), '.json').replace('openapi', 'clients');
    await run(`${TYPES}/openapi-typescript`, STATIC + href(route), '-o', join(folder, `${name}.d.ts`));
    lines.push(`import type { paths as ${name} } from './${name}.d.ts';`);
    for (const [path, operations] of Object.entries(documentAt(route).paths)) {
      for (const [method, { requestBody }] of Object.entries(operations)) {
        const sent = `${name}['${path}']['${method}']['requestBody']['content']['application/json']`;
        for (const { value } of Object.values(requestBody?.content['application/json']?.examples ?? {})) {
          lines.push(`((_: ${sent}) => {})(${JSON.stringify(value)});`);
        }
      }
    }
  }
  expect(lines.length).toBeGreaterThan(30);
  await writeFile(join(folder, 'calls.ts'), lines.join('\n'));
  const options = ['--noEmit', '--strict', '--allowImportingTsExtensions', '--ignoreConfig', '--types', ''];
  await run('node_modules/.bin/tsc', ...options, join(folder, 'calls.ts'));
});

it('the Worker bundles neither the words of operations nor their examples', { tags: ['long'] }, async () => {
  const bundle = await bundleWorker();
  const modules = new Set([...bundle.matchAll(/^\/\/ (\S+\.ts)$/gm)].map(([, file]) => file));
  expect(modules).toContain('src/api/jobs.ts');
  expect(modules).not.toContain('core/protocol/examples/client.ts');
  expect(bundle.match(/^var words\w* = \(\) =>/m)).toBeNull();
});

describe('examples', () => {
  for (const operation of OPERATIONS) {
    it(`fit the schemas they stand under: ${operation.id}`, () => {
      for (const content of contentsOf(operation)) {
        if ('schema' in content) expectFit(content);
        if ('eventSchema' in content) {
          for (const event of content.events) expect(content.eventSchema.parse(event)).toEqual(event);
        }
      }
    });
  }

  it('of a submit keep the rules between fields too', () => {
    const submit = OPERATIONS.find(({ id }) => id === 'submitClip');
    const content = submit && bodyOf(submit);
    if (!content || !('examples' in content)) throw new Error('a submit has no examples');
    for (const { value } of Object.values(content.examples)) expect(parseSubmit(value)).toMatchObject({ ok: true });
  });

  it('of webhooks fit their schema, and carry the event they stand under', () => {
    for (const [event, { content }] of Object.entries(WEBHOOKS)) {
      expectFit(content);
      for (const { value } of Object.values(content.examples)) expect(value).toMatchObject({ event });
    }
  });

  it('of problems fit their schema, for every kind there is', () => {
    for (const kind of PROBLEM_KINDS) expect(Problem.parse(problemExample(kind))).toEqual(problemExample(kind));
  });
});

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

/** test/core/protocol/submit.test.ts compares the schema with the examples of each rule. */
describe('the published schema of a submit', () => {
  it('comes to the verdict of the service on random input, but for what it cannot say', { tags: ['long'] }, () => {
    const bodies = fuzzedSubmit.filter(({ sent }) => sent !== null).map(({ sent }) => sent);
    fc.assert(
      fc.property(bodies, (body) => {
        const parsed = parseSubmit(body);
        const expected = parsed.ok ? [] : parsed.errors.filter(({ message }) => !isBeyondSchema(message));
        // A body that breaks such a rule may be refused before the other rules are checked.
        if (parsed.ok || expected.length > 0) expect(schemaTakes(body)).toBe(parsed.ok);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the pattern of a Steam id', () => {
  const { pattern } = DOCUMENT.components.schemas.SubmitRequest.properties.steam64_id;

  it('ends exactly at 2^64', () => {
    const largest = 2n ** 64n - 1n;
    fc.assert(
      fc.property(
        fc.oneof(
          fc.bigInt(1n, 2n ** 67n),
          fc.bigInt(-1000n, 1000n).map((offset) => largest + offset),
        ),
        (id) => new RegExp(pattern).test(String(id)) === id <= largest,
      ),
      { numRuns: 2000 },
    );
  });
});
