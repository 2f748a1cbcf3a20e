import { type Html, html } from '../pages/html.ts';
import { type OpenApiDocument, type Parameter, referredName, resolveSchema, type Schema } from './openapi-document.ts';
import { inline, joined } from './words.ts';

/** Tables of requests mark required fields, tables of answers mark optional fields. */
export type Direction = 'sent' | 'answered';

/** Returns a table of an object's fields. The fields of an inner object are in a `details` element. */
export function fieldTable(document: OpenApiDocument, schema: Schema, direction: Direction): Html {
  const { properties = {}, required = [] } = resolveSchema(document, schema);
  const rows = Object.entries(properties).map(([name, field]) =>
    fieldRow(document, name, field, required.includes(name), direction),
  );
  return table(rows);
}

/** Returns a table of parameters of the path, the query or the headers. */
export function parameterTable(document: OpenApiDocument, parameters: readonly Parameter[]): Html {
  return table(
    parameters.map(({ name, schema, required = false, description = '' }) =>
      fieldRow(document, name, { ...schema, description }, required, 'sent'),
    ),
  );
}

function table(rows: readonly Html[]): Html {
  return html`<table class="fields"><thead><tr><th>Name</th><th>Meaning</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function fieldRow(
  document: OpenApiDocument,
  name: string,
  field: Schema,
  required: boolean,
  direction: Direction,
): Html {
  const schema = resolveSchema(document, field);
  const note = direction === 'sent' ? required && 'required' : !required && 'may be missing';
  return html`<tr><th scope="row"><code>${name}</code><span class="type">${typeName(document, field)}</span>${
    note ? html`<span class="must">${note}</span>` : null
  }</th><td>${inline(schema.description ?? '')}${rulesOf(schema)}${innerFields(document, field, direction)}</td></tr>`;
}

function innerFields(document: OpenApiDocument, field: Schema, direction: Direction): Html | null {
  const inner = objectWithin(document, field);
  if (!inner) return null;
  // Jobs and rules have fields of a submit.
  const submit = document.components.schemas.SubmitRequest?.properties ?? {};
  const fields = Object.entries(inner.properties ?? {});
  const own = fields.filter(([name, schema]) => JSON.stringify(schema) !== JSON.stringify(submit[name]));
  const others = html`<p>${own.length > 0 ? 'Others as' : 'As'} in <a href="#submitClip">the body of a submit</a>.</p>`;
  const table = fieldTable(document, { ...inner, properties: Object.fromEntries(own) }, direction);
  return html`<details><summary>Its fields</summary>${own.length > 0 ? table : null}${own.length < fields.length ? others : null}</details>`;
}

/** Returns the object that a field is or contains; null for other values, and if there are several shapes. */
export function objectWithin(document: OpenApiDocument, field: Schema): Schema | null {
  const schema = resolveSchema(document, field);
  if (schema.items) return objectWithin(document, schema.items);
  if (schema.properties) return schema;
  const [object = null, ...others] = (schema.anyOf ?? schema.oneOf ?? []).flatMap(
    (one) => objectWithin(document, one) ?? [],
  );
  return others.length === 0 ? object : null;
}

const FORMATS: Record<string, string> = { uuid: 'UUID', uri: 'URL', 'date-time': 'time, ISO 8601' };

/** Returns the type of a field as text. */
export function typeName(document: OpenApiDocument, field: Schema): string {
  const schema = resolveSchema(document, field);
  if (schema.anyOf) return schema.anyOf.map((one) => typeName(document, one)).join(' or ');
  if (schema.oneOf && !schema.properties)
    return schema.oneOf.map((one) => referredName(one) ?? typeName(document, one)).join(' or ');
  if (schema.items) return `array of ${plural(typeName(document, schema.items))}`;
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  if (types.length === 0) return 'any JSON';
  return types
    .map((type) => (type === 'string' && schema.format ? (FORMATS[schema.format] ?? type) : type))
    .join(' or ');
}

function plural(name: string): string {
  return /^[A-Za-z]+$/.test(name) ? `${name}s` : name;
}

/** Returns the rules of a field: choices, ranges, lengths, the default. */
function rulesOf(schema: Schema): Html | null {
  const code = (value: unknown) => html`<code>${JSON.stringify(value)}</code>`;
  const rules: Html[] = [];
  if (schema.enum) rules.push(html`one of ${joined(schema.enum.map(code), ', ')}`);
  const range = rangeText(schema.minimum, schema.maximum, '');
  if (range) rules.push(html`${range}`);
  const length = rangeText(schema.minLength, schema.maxLength, ' characters');
  if (length) rules.push(html`${length}`);
  const items = rangeText(schema.minItems, schema.maxItems, ' of them');
  if (items) rules.push(html`${items}`);
  if (schema.default !== undefined && schema.default !== null) rules.push(html`default ${code(schema.default)}`);
  return rules.length === 0 ? null : html`<span class="rules">${joined(rules, ' · ')}</span>`;
}

function rangeText(least: number | undefined, most: number | undefined, unit: string): string | null {
  if (least === 1 && most === undefined && unit !== '') return 'not empty';
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (least !== undefined) return `at least ${least}${unit}`;
  return most === undefined ? null : `at most ${most}${unit}`;
}
