import type { ZodOpenApiOverride } from 'zod-openapi';

/** Leaves objects in answers open, because fields may be added. Objects in requests are strict if their shape is. */
export const openObjects: ZodOpenApiOverride = ({ jsonSchema, zodSchema }) => {
  const { def } = zodSchema._zod;
  if (def.type === 'object' && !def.catchall) delete jsonSchema.additionalProperties;
};

type Json = Record<string, unknown>;

/** Keys whose values are no schemas. */
const LEFT_ALONE = new Set(['example', 'examples', 'default']);

/** Removes redundant parts of a document and shortens `X or null`. */
export function tidySchemas(node: Json): Json {
  return tidy(node) as Json;
}

function tidy(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(tidy);
  if (typeof node !== 'object' || node === null) return node;
  const out: Json = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, LEFT_ALONE.has(name) ? value : tidy(value)]),
  );
  // openapi-typescript 7.13.0 makes a field with the keyword `default` a required one, unless it is a parameter.
  for (const field of Object.values<Json>(Object(out.properties))) {
    if (field.default !== undefined)
      field.description = `${field.description} Default: \`${JSON.stringify(field.default)}\`.`;
    delete field.default;
  }
  return orNull(withoutClutter(out));
}

function withoutClutter(schema: Json): Json {
  const out = { ...schema };
  for (const bound of ['minimum', 'maximum']) {
    // Bounds of JavaScript numbers are not rules.
    if (Math.abs(Number(out[bound])) === Number.MAX_SAFE_INTEGER) delete out[bound];
  }
  // Redundant with the format or the type.
  if (['date-time', 'uuid'].includes(String(out.format)) || out.type === 'integer') delete out.pattern;
  if (out.type === 'number' && Array.isArray(out.enum) && out.enum.every(Number.isInteger)) out.type = 'integer';
  if ('in' in out && typeof out.schema === 'object') {
    const { description: _repeated, ...rest } = out.schema as Json;
    out.schema = rest;
  }
  return out;
}

/** Converts `anyOf: [{type: T}, {type: null}]` to `type: [T, null]`. References stay as they are. */
function orNull(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1]?.type !== 'null') return schema;
  const { type, ...more } = anyOf[0];
  if (typeof type !== 'string' || more.enum !== undefined) return schema;
  return { type: [type, 'null'], ...more, ...rest };
}
