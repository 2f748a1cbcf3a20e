import { PROBLEMS, type Problem } from '#protocol/problem.ts';
import type { Method } from '#protocol/routes.ts';
import { accountPart, type Document, documentedAs, type Media } from './client-types.ts';
import type { DescribedOperation } from './described-operation.ts';
import type { JsonSchema } from './type-text.ts';

/**
 * The type of a value, in no programming language. `named` refers to one of the model's types. `values` are texts or
 * numbers; an open choice may have further texts.
 */
export type Shape =
  | { readonly kind: 'text' | 'integer' | 'number' | 'boolean' | 'null' | 'any' }
  | { readonly kind: 'named'; readonly name: string }
  | { readonly kind: 'choice'; readonly values: readonly (string | number)[]; readonly isOpen: boolean }
  | { readonly kind: 'list' | 'map'; readonly item: Shape }
  | { readonly kind: 'union'; readonly shapes: readonly Shape[] };

export interface ModelField {
  readonly name: string;
  readonly doc: string;
  /** Without null. */
  readonly shape: Shape;
  /** Whether it is never absent. It may be null all the same. */
  readonly isRequired: boolean;
  readonly isNullable: boolean;
}

/** A named type: an object with its fields, or another name of a shape. */
export type NamedType = { readonly name: string; readonly doc: string } & (
  | { readonly fields: readonly ModelField[] }
  | { readonly alias: Shape }
);

/** One call of the API. */
export interface ModelCall {
  /** `submitClip`. */
  readonly id: string;
  readonly doc: string;
  readonly method: Method;
  /** In the router's pattern language: `/api/jobs/:id`. */
  readonly path: string;
  /** The least scope of a key that may make the call. */
  readonly scope: string;
  /** Those of the path, in its order; texts. */
  readonly params: readonly ModelField[];
  readonly query: readonly ModelField[];
  /** `bytes`: a file with its own `Content-Type`; null: no body. */
  readonly body: Shape | 'bytes' | null;
  /** `text`: not JSON; null: nothing. Of a stream, the data of each event. */
  readonly answer: Shape | 'text' | null;
  readonly isStream: boolean;
  /** Whether the call may be repeated after an error. `by key`: if its body has an `idempotency_key`. */
  readonly repeatable: 'always' | 'by key' | 'never';
}

/** A kind of problem that the API answers with. */
export interface ProblemType {
  readonly kind: string;
  readonly status: Problem['status'];
  readonly doc: string;
}

/** All that the clients of accounts have in common, for the writers of languages other than TypeScript. */
export interface ClientModel {
  /** By name. */
  readonly types: readonly NamedType[];
  /** In the order of the document. */
  readonly calls: readonly ModelCall[];
  /** By kind. */
  readonly problems: readonly ProblemType[];
}

/** Builds the model from the document of accounts and its operations. */
export function buildModel(document: Document, operations: readonly DescribedOperation[]): ClientModel {
  const { own, schemas, kinds } = accountPart(document, operations);
  const types = createTypes(schemas);
  for (const name of schemas) types.declare(name, document.components.schemas[name] ?? {});
  const calls = own.map((described) => callOf(described, document, types));
  return {
    types: types.all(),
    calls,
    problems: kinds.map((kind) => ({ kind, status: PROBLEMS[kind].status, doc: PROBLEMS[kind].meaning })),
  };
}

type Types = ReturnType<typeof createTypes>;

/**
 * Collects the named types. Objects inside of others get the name of their place: `DemoHighlightRequest`, or
 * `RuleSendValue` if a schema has that name.
 */
function createTypes(schemas: ReadonlySet<string>) {
  const found = new Map<string, NamedType>();

  const add = (type: NamedType) => {
    const other = found.get(type.name);
    if (other && JSON.stringify(other) !== JSON.stringify(type)) throw new Error(`two types are named ${type.name}`);
    found.set(type.name, type);
  };

  const nameOf = (place: string, field: string) => {
    const name = place + pascalCase(field);
    return schemas.has(name) ? `${name}Value` : name;
  };

  const shapeOf = (schema: JsonSchema, place: string): Shape => {
    const { $ref, const: only, enum: values = only === undefined ? undefined : [only] } = schema;
    if ($ref !== undefined) return { kind: 'named', name: $ref.slice($ref.lastIndexOf('/') + 1) };
    const known = schema['x-extensible-enum'] ?? values;
    if (known?.every((value) => value === true)) return { kind: 'boolean' };
    if (known) return { kind: 'choice', values: known as string[], isOpen: known !== values };
    const choices = schema.anyOf ?? (schema.properties ? undefined : schema.oneOf);
    if (choices) return union(choices.map((choice, i) => shapeOf(choice, i === 0 ? place : `${place}${i + 1}`)));
    const names = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
    return names.length === 0 ? { kind: 'any' } : union(names.map((name) => plainShape(name, schema, place)));
  };

  const plainShape = (type: string, schema: JsonSchema, place: string): Shape => {
    if (type === 'string') return { kind: 'text' };
    if (type === 'array') return { kind: 'list', item: shapeOf(schema.items ?? {}, place.replace(/s$/, '')) };
    if (type !== 'object') return { kind: type as 'integer' };
    const { properties = {}, required = [], description: doc = '' } = schema;
    if (Object.keys(properties).length === 0) {
      return { kind: 'map', item: shapeOf(Object(schema.additionalProperties), place) };
    }
    const fields = Object.entries(properties).map(([name, field]) =>
      fieldOf(name, field.description, shapeOf(field, nameOf(place, name)), required.includes(name)),
    );
    add({ name: place, doc, fields });
    return { kind: 'named', name: place };
  };

  return {
    shapeOf,
    declare: (name: string, schema: JsonSchema) => {
      const alias = shapeOf(schema, name);
      if (alias.kind !== 'named' || alias.name !== name) add({ name, doc: schema.description ?? '', alias });
    },
    all: () => [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function union(shapes: readonly Shape[]): Shape {
  const flat = shapes.flatMap((shape) => (shape.kind === 'union' ? shape.shapes : [shape]));
  return flat.length === 1 && flat[0] ? flat[0] : { kind: 'union', shapes: flat };
}

function fieldOf(name: string, doc = '', shape: Shape, isRequired: boolean): ModelField {
  const shapes = shape.kind === 'union' ? shape.shapes : [shape];
  const others = shapes.filter(({ kind }) => kind !== 'null');
  return { name, doc, shape: union(others), isRequired, isNullable: others.length < shapes.length };
}

function callOf(described: DescribedOperation, document: Document, types: Types): ModelCall {
  const { id, method, path, operation } = described;
  const { summary, parameters = [], requestBody, responses } = documentedAs(document, described);
  const place = pascalCase(id);
  const fieldsIn = (where: string) =>
    parameters
      .filter((parameter) => parameter.in === where)
      .map(({ name, description, schema, required = false }) =>
        fieldOf(name, description, types.shapeOf(schema, place + pascalCase(name)), required),
      );
  const contentOf = <Other>(content: Readonly<Record<string, Media>> = {}, name: string, other: Other) => {
    const [[type, media] = [null, undefined]] = Object.entries(content);
    if (type === null) return null;
    if (type === 'text/event-stream') return types.shapeOf(media?.schema?.contentSchema ?? {}, name);
    return type === 'application/json' ? types.shapeOf(media?.schema ?? {}, name) : other;
  };
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  return {
    ...{ id, doc: `${summary}.`, method, path, scope: operation.scope.replace(/^account:?/, '') },
    params: fieldsIn('path'),
    query: fieldsIn('query'),
    body: contentOf(requestBody?.content, `${place}Body`, 'bytes' as const),
    answer: contentOf(success?.content, `${place}Answer`, 'text' as const),
    isStream: success?.content !== undefined && 'text/event-stream' in success.content,
    repeatable: method === 'POST' ? (operation.repeatable ?? 'never') : 'always',
  };
}

/** Converts `submitClip` and `created_at` to `SubmitClip` and `CreatedAt`. */
export function pascalCase(name: string): string {
  return name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
