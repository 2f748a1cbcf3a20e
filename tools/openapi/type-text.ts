/** The part of JSON Schema that the document uses and TypeScript can express. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly contentSchema?: JsonSchema;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  /** Known values of a text that may have others, as Zalando's API guidelines name them. */
  readonly 'x-extensible-enum'?: readonly string[];
}

/** Formats a schema as a TypeScript type. `depth`: its indentation, in steps of two spaces. */
export function formatType(schema: JsonSchema, depth = 0): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const known = schema['x-extensible-enum'];
  if (known !== undefined) return openUnion(known);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.anyOf ?? (schema.properties ? undefined : schema.oneOf);
  if (choices !== undefined) return [...new Set(choices.map((choice) => formatType(choice, depth)))].join(' | ');
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  return types.map((type) => plainType(type, schema, depth)).join(' | ') || 'unknown';
}

/** Returns a union that accepts any text, and has editors offer the known values. */
export function openUnion(known: readonly string[]): string {
  return [...known.map((value) => JSON.stringify(value)), '(string & {})'].join(' | ');
}

function plainType(type: string, schema: JsonSchema, depth: number): string {
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'array') {
    const element = formatType(schema.items ?? {}, depth);
    return `readonly ${/^(\w+$|\{)/.test(element) ? element : `(${element})`}[]`;
  }
  return type === 'object' ? objectType(schema, depth) : type;
}

function objectType({ properties = {}, required = [], additionalProperties }: JsonSchema, depth: number): string {
  const indent = '  '.repeat(depth + 1);
  const lines = Object.entries(properties).map(([name, field]) => {
    const comment = docComment(field.description, indent);
    const isRequired = required.includes(name);
    const type = formatType(field, depth + 1);
    return `${comment}${indent}${name}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'};\n`;
  });
  if (typeof additionalProperties === 'object') {
    lines.push(
      `${indent}[name: string]: ${lines.length > 0 ? 'unknown' : formatType(additionalProperties, depth + 1)};\n`,
    );
  }
  return lines.length === 0 ? '{}' : `{\n${lines.join('')}${'  '.repeat(depth)}}`;
}

const WIDTH = 116;

/** Formats a description as a doc comment; an empty text without one. */
export function docComment(text: string | undefined, indent = ''): string {
  if (text === undefined || text === '') return '';
  const lines = wrapText(text.replaceAll('*/', '* /'), WIDTH - indent.length - 3);
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

/** Breaks a text into lines. A word longer than `width` is a line of its own. */
export function wrapText(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

/** Returns the names of the schemas that a node refers to. */
export function referredNames(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(referredNames);
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' ? [nameOf(value)] : referredNames(value),
  );
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
