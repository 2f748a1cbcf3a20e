import { expect, it } from 'vitest';
import type { Document } from '#openapi/client-types.ts';
import type { DescribedOperation } from '#openapi/described-operation.ts';
import { formatPython } from '#openapi/python-client.ts';

const text = { type: 'string' };
const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });
const listOf = (items: object) => ({ type: 'array', items });
const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required });

/** Writes the types and the calls of one operation that answers with `Thing`. */
function pythonOf(schemas: Record<string, object>, parameters: readonly object[] = [], terms: object = {}) {
  const described = {
    id: 'listThings',
    method: 'GET',
    path: '/api/things/:id',
    tag: 'Jobs',
    key: 'apiKey',
    operation: { route: 'GET /api/things/:id', scope: 'account:read' },
    words: { summary: 'List things' },
    ...terms,
  } as unknown as DescribedOperation;
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } };
  const operation = { summary: 'List things', parameters, responses: { 200: { content } } };
  const paths = { '/api/things/{id}': { get: operation, post: operation } };
  const document = { paths, components: { schemas } } as unknown as Document;
  const [types = '', calls = ''] = Object.values(formatPython(document, [described]));
  return { types, calls };
}

const fieldOf = (schema: object, required = true) => {
  const { types } = pythonOf({ Thing: object({ it: schema }, required ? ['it'] : []) });
  return /class Thing\(TypedDict\):\n\n {4}it: (.*)/.exec(types)?.[1];
};

it.each([
  ['a text', text, 'str'],
  ['one of some texts', { ...text, enum: ['a', 'b'] }, 'Literal["a", "b"]'],
  ['a text with known values', { ...text, 'x-extensible-enum': ['a'] }, 'Literal["a"] | str'],
  ['always true', { type: 'boolean', const: true }, 'bool'],
  ['a number', { type: 'number' }, 'float'],
  ['any JSON', {}, 'Any'],
  ['a list', listOf(text), 'list[str]'],
  ['a map', { type: 'object', additionalProperties: { type: 'integer' } }, 'dict[str, int]'],
  ['another type', { $ref: '#/components/schemas/Thing' }, 'Thing'],
  ['one of two', { anyOf: [text, listOf(text)] }, 'str | list[str]'],
])('a field is %s', (_, schema, type) => {
  expect(fieldOf(schema)).toBe(type);
  expect(fieldOf(orNull(schema), false)).toBe(`NotRequired[${type} | None]`);
});

it('objects inside of others are named by their place, and each by itself', () => {
  const inner = object({ x: text });
  const { types } = pythonOf({
    Thing: object({
      days: listOf(inner),
      best_of: orNull(inner),
      send: inner,
      either: { oneOf: [inner, object({ y: text })] },
    }),
    ThingSend: object({ other: text }),
  });
  const names = [...types.matchAll(/class (\w+)/g)].map(([, name]) => name);
  expect(names).toEqual(['Thing', 'ThingBestOf', 'ThingDay', 'ThingEither', 'ThingEither2', 'ThingSend']);
});

it('a name that would be of two types is refused', () => {
  const schemas = { Thing: object({ days: listOf(object({ x: text })), day: object({ y: text }) }) };
  expect(() => pythonOf(schemas)).toThrow('ThingDay');
});

it.each([
  ['GET', undefined, ''],
  ['POST', undefined, ', is_repeatable=False'],
  ['POST', 'by key', ', is_repeatable="idempotency_key" in body'],
])('%s with the terms %s is repeatable: %s', (method, repeatable, expected) => {
  const operation = { route: `${method} /api/things/:id`, scope: 'account:submit', repeatable };
  const { calls } = pythonOf({ Thing: object({}) }, [], { method, operation });
  expect(calls).toContain(`"${method}", f"/api/things/{segment(id)}"${expected})`);
  expect(calls).toContain('the key needs the scope submit.');
});

it('Python has words of its own as names, and texts that end with a quote', () => {
  const parameters = [
    { name: 'id', in: 'path', required: true, schema: text },
    { name: 'from', in: 'query', schema: { type: 'integer' } },
  ];
  const Thing = { ...object({ from: text, in: orNull(text) }, ['from']), description: 'A \\ """ "thing"' };
  const { types, calls } = pythonOf({ Thing }, parameters);
  expect(types).toContain(`Thing = TypedDict("Thing", {
    "from": 'str',
    "in": 'NotRequired[str | None]',
})
"""A \\\\ ''' "thing" """`);
  expect(calls).toContain(`    def list_things(self, id: str, *, from_: int | None = None) -> t.Thing:
        """List things. GET /api/things/:id; the key needs the scope read."""
        return self._transport.call("GET", f"/api/things/{segment(id)}", query={"from": from_})
`);
});
