import type { ZodOpenApiOverride } from 'zod-openapi';

/**
 * An object that is answered may have more fields one day, so the document does not close it. What is sent is strict
 * where its shape says so.
 */
export const openObjects: ZodOpenApiOverride = ({ jsonSchema, zodSchema }) => {
  const { def } = zodSchema._zod;
  if (def.type === 'object' && !def.catchall) delete jsonSchema.additionalProperties;
};

type Json = Record<string, unknown>;

/** Examples are nobody's schema. */
const LEFT_ALONE = new Set(['example', 'examples', 'default']);

/** Takes out of a document what only repeats or clutters, and writes `X or null` the short way. */
export function tidySchemas(node: Json): Json {
  return tidy(node) as Json;
}

function tidy(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(tidy);
  if (typeof node !== 'object' || node === null) return node;
  const out: Json = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, LEFT_ALONE.has(name) ? value : tidy(value)]),
  );
  return orNull(withoutClutter(out));
}

function withoutClutter(schema: Json): Json {
  const out = { ...schema };
  for (const bound of ['minimum', 'maximum']) {
    // A JavaScript number is bounded; the rule is not.
    if (Math.abs(Number(out[bound])) === Number.MAX_SAFE_INTEGER) delete out[bound];
  }
  // The format says it, and the number's digits need no pattern.
  if (['date-time', 'uuid'].includes(String(out.format)) || out.type === 'integer') delete out.pattern;
  if (out.type === 'number' && Array.isArray(out.enum) && out.enum.every(Number.isInteger)) out.type = 'integer';
  if ('in' in out && typeof out.schema === 'object') {
    const { description: _repeated, ...rest } = out.schema as Json;
    out.schema = rest;
  }
  return out;
}

/** `anyOf: [{type: T}, {type: null}]` as `type: [T, null]`. A schema that is referred to stays as it is. */
function orNull(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1]?.type !== 'null') return schema;
  const { type, ...more } = anyOf[0];
  if (typeof type !== 'string' || more.enum !== undefined) return schema;
  return { type: [type, 'null'], ...more, ...rest };
}
