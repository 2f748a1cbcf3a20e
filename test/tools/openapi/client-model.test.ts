import { expect, it } from 'vitest';
import { buildModel } from '#openapi/client-model.ts';
import type { Document } from '#openapi/client-types.ts';
import type { DescribedOperation } from '#openapi/described-operation.ts';
import { formatPython } from '#openapi/python-client.ts';

const text = { type: 'string' };
const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });
const listOf = (items: object) => ({ type: 'array', items });
const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required });

/** Builds the model of one call that answers with `Thing`. */
function modelOf(schemas: Record<string, object>, parameters: readonly object[] = [], terms: object = {}) {
  const described = {
    ...{ id: 'listThings', method: 'GET', path: '/api/things/:id', tag: 'Jobs', key: 'apiKey' },
    operation: { route: 'GET /api/things/:id', scope: 'account:read' },
    words: { summary: 'List things' },
    ...terms,
  } as unknown as DescribedOperation;
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } };
  const operation = { summary: 'List things', parameters, responses: { 200: { content } } };
  const paths = { '/api/things/{id}': { get: operation, post: operation } };
  return buildModel({ paths, components: { schemas } } as unknown as Document, [described]);
}

const fieldOf = (schema: object, required = true) => {
  const { types } = modelOf({ Thing: object({ it: schema }, required ? ['it'] : []) });
  const [thing] = types.filter(({ name }) => name === 'Thing');
  return { types, field: thing && 'fields' in thing ? thing.fields[0] : undefined };
};

it.each([
  ['a text', text, { kind: 'text' }],
  ['one of some texts', { ...text, enum: ['a', 'b'] }, { kind: 'choice', values: ['a', 'b'], isOpen: false }],
  [
    'a text with known values',
    { ...text, 'x-extensible-enum': ['a'] },
    { kind: 'choice', values: ['a'], isOpen: true },
  ],
  ['always true', { type: 'boolean', const: true }, { kind: 'boolean' }],
  ['a number', { type: 'number' }, { kind: 'number' }],
  ['any JSON', {}, { kind: 'any' }],
  ['a list', listOf(text), { kind: 'list', item: { kind: 'text' } }],
  ['a map', { type: 'object', additionalProperties: { type: 'integer' } }, { kind: 'map', item: { kind: 'integer' } }],
  ['another type', { $ref: '#/components/schemas/Thing' }, { kind: 'named', name: 'Thing' }],
  ['one of two', { anyOf: [text, listOf(text)] }, { kind: 'union' }],
])('a field is %s', (_, schema, shape) => {
  expect(fieldOf(schema).field).toMatchObject({ shape, isRequired: true, isNullable: false });
  expect(fieldOf(orNull(schema), false).field).toMatchObject({ shape, isRequired: false, isNullable: true });
});

it('objects inside of others are named by their place, and each by itself', () => {
  const inner = object({ x: text });
  const { types } = modelOf({
    Thing: object({
      days: listOf(inner),
      best_of: orNull(inner),
      send: inner,
      either: { oneOf: [inner, object({ y: text })] },
    }),
    ThingSend: object({ other: text }),
  });
  const names = types.map(({ name }) => name);
  expect(names).toEqual(['Thing', 'ThingBestOf', 'ThingDay', 'ThingEither', 'ThingEither2', 'ThingSend']);
});

it('a name that would be of two types is refused', () => {
  const schemas = { Thing: object({ days: listOf(object({ x: text })), day: object({ y: text }) }) };
  expect(() => modelOf(schemas)).toThrow('ThingDay');
});

it.each([
  ['GET', undefined, 'always'],
  ['POST', undefined, 'never'],
  ['POST', 'by key', 'by key'],
])('%s with the terms %s is repeatable: %s', (method, repeatable, expected) => {
  const operation = { route: `${method} /api/things/:id`, scope: 'account:submit', repeatable };
  const [call] = modelOf({ Thing: object({}) }, [], { method, operation }).calls;
  expect(call).toMatchObject({ repeatable: expected, scope: 'submit', params: [], path: '/api/things/:id' });
});

it('Python has words of its own as names, and texts that end with a quote', () => {
  const parameters = [
    { name: 'id', in: 'path', required: true, schema: text },
    { name: 'from', in: 'query', schema: { type: 'integer' } },
  ];
  const Thing = { ...object({ from: text, in: orNull(text) }, ['from']), description: 'A \\ """ "thing"' };
  const files = Object.values(formatPython(modelOf({ Thing }, parameters)));
  expect(files[0]).toContain(`Thing = TypedDict("Thing", {
    "from": 'str',
    "in": 'NotRequired[str | None]',
})
"""A \\\\ ''' "thing" """`);
  expect(files[1]).toContain(`    def list_things(self, id: str, *, from_: int | None = None) -> t.Thing:
        """List things. GET /api/things/:id; the key needs the scope read."""
        return self._transport.call("GET", f"/api/things/{segment(id)}", query={"from": from_})
`);
});
