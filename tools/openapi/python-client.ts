import {
  type ClientModel,
  type ModelCall,
  type ModelField,
  type NamedType,
  pascalCase,
  type Shape,
} from './client-model.ts';
import { wrapText } from './type-text.ts';

const FOLDER = 'packages/python/tickreel';
const WIDTH = 120;
const HEAD = '# Written by `npm run openapi` out of the operations of the service.\n';

/** Returns the files of the Python client that are written from the operations, by their paths. */
export function formatPython({ types, calls, problems }: ClientModel): Record<string, string> {
  const kinds = problems.map(({ kind, status, doc }) => ({ kind, name: `${pascalCase(kind)}Error`, status, doc }));
  return {
    [`${FOLDER}/types.py`]: [
      `${HEAD}"""Everything that the API takes and answers. An answer may have more fields than are listed here."""\n`,
      'from __future__ import annotations\n\nfrom typing import Any, Literal, NotRequired, TypeAlias, TypedDict\n',
      // Classes read their types late, and aliases at once.
      ...types.filter((type) => 'fields' in type).map((type) => `\n${typeText(type)}`),
      ...types.filter((type) => 'alias' in type).map(typeText),
    ].join('\n'),
    [`${FOLDER}/_calls.py`]: [
      `${HEAD}from __future__ import annotations\n\nfrom typing import Any, Literal\n`,
      'from . import types as t\nfrom ._events import Stream\nfrom ._transport import Transport, segment\n\n',
      'class Calls:\n    """Every call of the API, by its name in the service\'s reference at /docs/reference."""\n',
      '    def __init__(self, transport: Transport) -> None:\n        self._transport = transport\n',
      ...calls.map(callText),
    ].join('\n'),
    [`${FOLDER}/_problems.py`]: [
      `${HEAD}"""An error for each kind of problem that the service answers with."""\n`,
      'from ._errors import ApiError\n',
      ...kinds.map(({ name, status, doc }) => `\nclass ${name}(ApiError):\n${docText(`${status}. ${doc}`, '    ')}`),
      `\n__all__ = [${kinds.map(({ name }) => `"${name}"`).join(', ')}]\n`,
      `KINDS: dict[str, type[ApiError]] = {\n${kinds.map(({ kind, name }) => `    "${kind}": ${name},\n`).join('')}}\n`,
    ].join('\n'),
  };
}

function typeText(type: NamedType): string {
  const { name, doc } = type;
  if ('alias' in type) return `${name}: TypeAlias = ${shapeText(type.alias)}\n${docText(doc, '')}`;
  const { fields } = type;
  // A class cannot have a field that is a word of the language.
  if (fields.some((field) => nameText(field.name) !== field.name)) {
    const entries = fields.map((field) => `    "${field.name}": '${fieldText(field)}',\n`);
    return `${name} = TypedDict("${name}", {\n${entries.join('')}})\n${docText(doc, '')}`;
  }
  const lines = fields.map((field) => `\n    ${field.name}: ${fieldText(field)}\n${docText(field.doc, '    ')}`);
  return `class ${name}(TypedDict):\n${docText(doc, '    ')}${lines.join('') || '    pass\n'}`;
}

function fieldText({ shape, isNullable, isRequired }: ModelField): string {
  const text = `${shapeText(shape)}${isNullable ? ' | None' : ''}`;
  return isRequired ? text : `NotRequired[${text}]`;
}

const PLAIN = { text: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None', any: 'Any' } as const;

/** Formats a shape. `home` is the module of the named types. */
function shapeText(shape: Shape, home = ''): string {
  switch (shape.kind) {
    case 'named':
      return home + shape.name;
    case 'list':
      return `list[${shapeText(shape.item, home)}]`;
    case 'map':
      return `dict[str, ${shapeText(shape.item, home)}]`;
    case 'union':
      return shape.shapes.map((one) => shapeText(one, home)).join(' | ');
    case 'choice':
      return `Literal[${shape.values.map((value) => JSON.stringify(value)).join(', ')}]${shape.isOpen ? ' | str' : ''}`;
    default:
      return PLAIN[shape.kind];
  }
}

function callText({
  id,
  doc,
  method,
  path,
  scope,
  params,
  query,
  body,
  answer,
  isStream,
  repeatable,
}: ModelCall): string {
  const named = query.map((field) => `${nameText(field.name)}: ${argumentText(field)}`);
  const taken = [
    ...['self', ...params.map(({ name }) => `${nameText(name)}: str`)],
    ...(body === null ? [] : [`body: ${body === 'bytes' ? 'bytes' : shapeText(body, 't.')}`]),
    ...(body === 'bytes' ? ['content_type: str = "application/octet-stream"'] : []),
    ...(named.length > 0 || isStream ? ['*', ...named] : []),
    ...(isStream ? ['last_event_id: str | None = None'] : []),
  ];
  const address = `f"${path.replace(/:(\w+)/g, (_, name: string) => `{segment(${nameText(name)})}`)}"`;
  const given = [
    ...[`"${method}"`, params.length > 0 ? address : address.slice(1)],
    ...(named.length > 0 ? [`query={${query.map(({ name }) => `"${name}": ${nameText(name)}`).join(', ')}}`] : []),
    ...(isStream ? ['last_event_id=last_event_id'] : []),
    ...(body === null ? [] : ['body=body']),
    ...(body === 'bytes' ? ['content_type=content_type'] : []),
    ...(repeatable === 'never' ? ['is_repeatable=False'] : []),
    ...(repeatable === 'by key' ? ['is_repeatable="idempotency_key" in body'] : []),
  ];
  const value = answer === null ? 'None' : answer === 'text' ? 'str' : shapeText(answer, 't.');
  return [
    fitted(`    def ${snakeCase(id)}(`, taken, `) -> ${isStream ? `Stream[${value}]` : value}:\n`),
    docText(`${doc} ${method} ${path}; the key needs the scope ${scope}.`, '        '),
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

function argumentText({ shape, isNullable, isRequired }: ModelField): string {
  return `${shapeText(shape, 't.')}${isNullable || !isRequired ? ' | None' : ''}${isRequired ? '' : ' = None'}`;
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

function docText(doc: string, indent: string): string {
  if (doc === '') return '';
  const lines = wrapText(
    doc.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replace(/"$/, '" '),
    WIDTH - 8 - indent.length,
  );
  return lines.length === 1
    ? `${indent}"""${lines[0]}"""\n`
    : `${indent}"""\n${lines.map((line) => `${indent}${line}\n`).join('')}${indent}"""\n`;
}

/** Converts `submitClip` to `submit_clip`. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
