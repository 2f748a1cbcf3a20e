import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { bodyOf } from '#openapi/content.ts';
import type { DescribedOperation } from '#openapi/described-operation.ts';
import { loadOperations } from '#openapi/load-operations.ts';
import { PROBLEM_KINDS, problemExample } from '#openapi/problems.ts';
import { WEBHOOKS } from '#openapi/webhooks.ts';
import type { Content, JsonContent } from '#protocol/operation-words.ts';
import { Problem } from '#protocol/problem.ts';
import { parseSubmit } from '#protocol/submit.ts';
import { bundleWorker } from '#stack/bundle-worker.ts';

const COMMITTED = readFileSync(new URL('../../../src/static/openapi.json', import.meta.url), 'utf8');

const OPERATIONS = loadOperations();

function contentsOf(operation: DescribedOperation): Content[] {
  const answers = Object.values(operation.words.answers).map(({ content }) => content);
  return [bodyOf(operation), ...answers].filter((content) => content !== undefined);
}

/** Parses an example with its schema; parsing must not drop anything. */
function expectFit({ schema, examples }: JsonContent): void {
  expect(Object.keys(examples).length).toBeGreaterThan(0);
  for (const { value } of Object.values(examples)) expect(schema.parse(value)).toMatchObject(Object(value));
}

describe('the OpenAPI document', () => {
  it("passes Redocly's recommended rules, its examples held to their schemas, without a warning", async () => {
    const config = await createConfig({
      extends: ['recommended'],
      rules: {
        'no-invalid-media-type-examples': 'error',
        'no-invalid-parameter-examples': 'error',
        // The validator does not see properties that are defined outside of a `not` or a `then`.
        'no-required-schema-properties-undefined': 'off',
        // `/docs` and `/openapi.json` take no parameters, so no request to them is wrong.
        'operation-4xx-response': 'off',
      },
    });
    const problems = await lintFromString({ source: COMMITTED, absoluteRef: 'openapi.json', config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });
});

it('the Worker bundles neither the words of operations nor their examples', async () => {
  const bundle = await bundleWorker();
  const modules = new Set([...bundle.matchAll(/^\/\/ (\S+\.ts)$/gm)].map(([, file]) => file));
  expect(modules).toContain('src/operations/jobs-get.ts');
  expect(modules).not.toContain('core/protocol/examples.ts');
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
