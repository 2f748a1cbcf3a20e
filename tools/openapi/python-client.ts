import { PROBLEMS } from '#protocol/lib/problem.ts';
import { accountPart, type Document, documentedAs, type Media, successOf } from './client-types.ts';
import type { DescribedOperation } from './described-operation.ts';
import { type JsonSchema, wrapText } from './type-text.ts';

const FOLDER = 'packages/python/tickreel';
const WIDTH = 120;
const HEAD = '# Written by `npm run openapi` out of the operations of the service.\n';

/** Returns the files of the Python client that are written from the operations of accounts, by their paths. */
export function formatPython(
  document: Document,
  operations: readonly DescribedOperation[],
): Readonly<Record<string, string>> {
  const { own, schemas, kinds } = accountPart(document, operations);
  const types = createTypes(schemas);
  for (const name of schemas) types.declare(name, document.components.schemas[name] ?? {});
  const calls = own.map((one) => callText(document, one, types));
  const errors = kinds.map((kind) => ({ kind, name: `${pascalCase(kind)}Error`, ...PROBLEMS[kind] }));
  return {
    [`${FOLDER}/types.py`]: [
      `${HEAD}"""Everything that the API takes and answers. An answer may have more fields than are listed here."""\n`,
      'from __future__ import annotations\n\nfrom typing import Any, Literal, NotRequired, TypeAlias, TypedDict\n',
      ...types.all(),
    ].join('\n'),
    [`${FOLDER}/_calls.py`]: [
      `${HEAD}from __future__ import annotations\n\nfrom typing import Any, Literal\n`,
      'from . import types as t\nfrom ._events import Stream\nfrom ._transport import Transport, segment\n\n',
      'class Calls:\n    """Every call of the API, by its name in the service\'s reference at /docs/reference."""\n',
      '    def __init__(self, transport: Transport) -> None:\n        self._transport = transport\n',
      ...calls,
    ].join('\n'),
    [`${FOLDER}/_problems.py`]: [
      `${HEAD}"""An error for each kind of problem that the service answers with."""\n`,
      'from ._errors import ApiError\n',
      ...errors.map(({ name, status, meaning }) => {
        return `\nclass ${name}(ApiError):\n${docText(`${status}. ${meaning}`, '    ')}`;
      }),
      `\n__all__ = [${errors.map(({ name }) => `"${name}"`).join(', ')}]\n`,
      `KINDS: dict[str, type[ApiError]] = {\n${errors.map(({ kind, name }) => `    "${kind}": ${name},\n`).join('')}}\n`,
    ].join('\n'),
  };
}

const PLAIN = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' } as const;
type Types = ReturnType<typeof createTypes>;

/**
 * Collects the declarations of named types. Objects inside of others get the name of their place: `DemoHighlightRequest`,
 * or `RuleSendValue` if a schema has that name.
 */
function createTypes(schemas: ReadonlySet<string>) {
  const [classes, aliases] = [new Map<string, string>(), new Map<string, string>()];

  /** Returns the alternatives of a schema. `home`: the module of the named types, as a prefix. */
  const typesOf = (schema: JsonSchema, place: string, home = ''): string[] => {
    const { $ref, const: only, enum: values = only === undefined ? undefined : [only] } = schema;
    if ($ref !== undefined) return [home + $ref.slice($ref.lastIndexOf('/') + 1)];
    const known = schema['x-extensible-enum'] ?? values;
    if (known?.every((value) => value === true)) return [PLAIN.boolean];
    if (known) {
      const literal = `Literal[${known.map((value) => JSON.stringify(value)).join(', ')}]`;
      return known === values ? [literal] : [literal, PLAIN.string];
    }
    const choices = schema.anyOf ?? (schema.properties ? undefined : schema.oneOf);
    if (choices) return choices.flatMap((one, i) => typesOf(one, i === 0 ? place : `${place}${i + 1}`, home));
    const names = [schema.type ?? []].flat();
    return names.length === 0 ? ['Any'] : names.map((name) => plainType(name, schema, place, home));
  };
  const textOf = (...args: Parameters<typeof typesOf>) => typesOf(...args).join(' | ');

  const plainType = (type: string, schema: JsonSchema, place: string, home: string): string => {
    if (type === 'array') return `list[${textOf(schema.items ?? {}, place.replace(/s$/, ''), home)}]`;
    if (type !== 'object') return PLAIN[type as keyof typeof PLAIN];
    const { properties = {}, required = [], description } = schema;
    if (Object.keys(properties).length === 0) {
      return `dict[str, ${textOf(Object(schema.additionalProperties), place, home)}]`;
    }
    const fields = Object.entries(properties).map(([name, field]) => {
      const inner = place + pascalCase(name);
      const text = nullLast(typesOf(field, schemas.has(inner) ? `${inner}Value` : inner)).join(' | ');
      return { name, doc: field.description, type: required.includes(name) ? text : `NotRequired[${text}]` };
    });
    const text = classText(place, description, fields);
    if ((classes.get(place) ?? text) !== text) throw new Error(`two types are named ${place}`);
    classes.set(place, text);
    return home + place;
  };

  return {
    typesOf,
    textOf,
    declare(name: string, schema: JsonSchema) {
      const alias = textOf(schema, name);
      if (alias !== name) aliases.set(name, `${name}: TypeAlias = ${alias}\n${docText(schema.description, '')}`);
    },
    /** Returns the declarations by name. Classes read their types late, and aliases at once. */
    all: () =>
      [classes, aliases].flatMap((map) => [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)),
  };
}

const nullLast = (types: readonly string[]): string[] => {
  const others = types.filter((type) => type !== PLAIN.null);
  return others.length < types.length ? [...others, PLAIN.null] : others;
};

function classText(
  name: string,
  doc: string | undefined,
  fields: readonly { readonly name: string; readonly type: string; readonly doc: string | undefined }[],
): string {
  // A class cannot have a field that is a word of the language.
  if (fields.some((field) => nameText(field.name) !== field.name)) {
    const entries = fields.map((field) => `    "${field.name}": '${field.type}',\n`);
    return `\n${name} = TypedDict("${name}", {\n${entries.join('')}})\n${docText(doc, '')}`;
  }
  const lines = fields.map((field) => `\n    ${field.name}: ${field.type}\n${docText(field.doc, '    ')}`);
  return `\nclass ${name}(TypedDict):\n${docText(doc, '    ')}${lines.join('') || '    pass\n'}`;
}

function callText(document: Document, described: DescribedOperation, types: Types): string {
  const { id, method, path, operation } = described;
  const documented = documentedAs(document, described);
  const { summary, parameters = [], requestBody } = documented;
  const place = pascalCase(id);
  const params = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => nameText(name));
  const query = parameters.filter((one) => one.in === 'query');
  const named = query.map(({ name, schema, required }) => {
    const own = nullLast(types.typesOf(schema, place + pascalCase(name), 't.'));
    const text = (required ? own : nullLast([...own, PLAIN.null])).join(' | ');
    return `${nameText(name)}: ${text}${required ? '' : ' = None'}`;
  });
  const contentOf = (content: Readonly<Record<string, Media>> = {}, name: string, other: string) => {
    const [[type, media] = []] = Object.entries(content);
    if (type === undefined) return null;
    if (type === 'text/event-stream') return types.textOf(media?.schema?.contentSchema ?? {}, name, 't.');
    return type === 'application/json' ? types.textOf(media?.schema ?? {}, name, 't.') : other;
  };
  const success = successOf(documented);
  const isStream = 'text/event-stream' in success;
  const body = contentOf(requestBody?.content, `${place}Body`, 'bytes');
  const answer = contentOf(success, `${place}Answer`, 'str');
  const isRepeatable = method === 'POST' ? (operation.repeatable ?? 'never') : 'always';
  const taken = [
    ...['self', ...params.map((name) => `${name}: str`)],
    ...(body === null ? [] : [`body: ${body}`]),
    ...(body === 'bytes' ? ['content_type: str = "application/octet-stream"'] : []),
    ...(named.length > 0 || isStream ? ['*', ...named] : []),
    ...(isStream ? ['last_event_id: str | None = None'] : []),
  ];
  const address = `"${path.replace(/:(\w+)/g, (_, name: string) => `{segment(${nameText(name)})}`)}"`;
  const given = [
    ...[`"${method}"`, params.length > 0 ? `f${address}` : address],
    ...(query.length > 0 ? [`query={${query.map(({ name }) => `"${name}": ${nameText(name)}`).join(', ')}}`] : []),
    ...(isStream ? ['last_event_id=last_event_id'] : []),
    ...(body === null ? [] : ['body=body']),
    ...(body === 'bytes' ? ['content_type=content_type'] : []),
    ...(isRepeatable === 'never' ? ['is_repeatable=False'] : []),
    ...(isRepeatable === 'by key' ? ['is_repeatable="idempotency_key" in body'] : []),
  ];
  const value = answer ?? 'None';
  const scope = operation.scope.replace(/^account:?/, '');
  return [
    fitted(
      `    def ${id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}(`,
      taken,
      `) -> ${isStream ? `Stream[${value}]` : value}:\n`,
    ),
    docText(`${summary}. ${method} ${path}; the key needs the scope ${scope}.`, '        '),
    fitted(`        ${answer === null ? '' : 'return '}self._transport.${isStream ? 'stream' : 'call'}(`, given, ')\n'),
  ].join('');
}

/** Puts the parts on one line, or each on its own. */
function fitted(begin: string, parts: readonly string[], end: string): string {
  const line = `${begin}${parts.join(', ')}${end}`;
  if (line.length <= WIDTH) return line;
  const indent = begin.replace(/\S.*/, '');
  return `${begin}\n${parts.map((part) => `${indent}    ${part},\n`).join('')}${indent}${end}`;
}

/** The words of the language, which no name can be. */
const KEYWORDS = new Set(
  (
    'and as assert async await break class continue def del elif else except finally for from global if import in is ' +
    'lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
);

function nameText(name: string): string {
  return KEYWORDS.has(name) ? `${name}_` : name;
}

function docText(doc: string | undefined, indent: string): string {
  if (!doc) return '';
  const lines = wrapText(
    doc.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replace(/"$/, '" '),
    WIDTH - 8 - indent.length,
  );
  return lines.length === 1
    ? `${indent}"""${lines[0]}"""\n`
    : `${indent}"""\n${lines.map((line) => `${indent}${line}\n`).join('')}${indent}"""\n`;
}

/** Converts `submitClip` and `created_at` to `SubmitClip` and `CreatedAt`. */
function pascalCase(name: string): string {
  return name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
