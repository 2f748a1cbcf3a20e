import type * as z from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { JobNotice } from '#protocol/job/job-detail.ts';
import type { HeaderWords, Tag } from '#protocol/lib/operation-words.ts';
import { PROBLEMS } from '#protocol/lib/problem.ts';
import { type DocumentRoute, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { answerOf, bodyObject, responseObject } from './content.ts';
import type { DescribedOperation } from './described-operation.ts';
import { problemComponents, problemResponses, problemsOf } from './problems.ts';
import { webhookPaths } from './webhooks.ts';

/** Leaves objects in answers open, because fields may be added. Objects in requests are strict if their shape is. */
const openObjects: ZodOpenApiOverride = ({ jsonSchema, zodSchema }) => {
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

/** The introduction of the document of clients, in CommonMark. */
const INTRODUCTION = `
Tickreel renders moments of recorded Counter-Strike 2 matches into clips: one MP4 and one thumbnail each. Post the address
of a demo with the moments that you want, then follow the job, or wait for its webhook.

**Keys.** Send \`Authorization: Bearer <key>\`. An account has a metered key for best-effort jobs and a reserved key for
priority jobs; either reads and changes everything of the account, and nothing of any other.
`.trim();

/** The rules of all documents. */
const COMMON = `
**Errors.** Every error is a problem (RFC 9457) as \`application/problem+json\`. Its \`type\` is the URL of a page on it. A known
address with another method is answered 405 with \`Allow\`; HEAD works where GET does. Every answer has an
\`X-Request-Id\`.

**Versions.** Addresses carry no version. Fields and error codes may be added at any time; ignore those that you do not
know.
`.trim();

const TAGS: Record<Tag, string> = {
  Clips: 'Submit a render, read its clip, keep it or delete it.',
  Jobs: 'Follow a render job, run it again, and see the result of its webhook.',
  Demos: 'See what is in a demo before you request a clip, and upload demos that have no URL.',
  Assets: 'Images and music that you upload and name in a request.',
  Usage: 'Seconds of clip that were rendered for you.',
  Events: 'Follow all your jobs at once, have webhooks signed, and test your receiver.',
  Rules: 'Rules that render clips of each new demo.',
  'API keys': 'Make and revoke keys of your account.',
  Viewing: 'Pages and files of a clip, for everybody who has its address.',
  Reference: 'The documents of the API and their pages.',
  Gateway: 'Requests of render hosts to the service, version 1.',
  Administration: 'Operations for the operator of the service.',
};

/** The documents by their addresses. `tag`: the only tag of a document; that of clients has all others. */
const DOCUMENTS: Readonly<Record<DocumentRoute, { title: string; description: string; tag?: Tag }>> = {
  [PUBLIC_ROUTES.openApi]: { title: 'Tickreel', description: `${INTRODUCTION}\n\n${COMMON}` },
  [PUBLIC_ROUTES.gatewayOpenApi]: { title: 'Tickreel for render hosts', description: COMMON, tag: 'Gateway' },
  [PUBLIC_ROUTES.operatorOpenApi]: { title: 'Tickreel for operators', description: COMMON, tag: 'Administration' },
};
export const DOCUMENT_ROUTES = Object.keys(DOCUMENTS) as DocumentRoute[];
const OWN_DOCUMENT = Object.values(DOCUMENTS).map(({ tag }) => tag);

/** Builds an OpenAPI 3.1 document, as it is committed. The same source gives the same document. */
export function buildDocument(route: DocumentRoute, all: readonly DescribedOperation[]): string {
  const { title, description, tag: only } = DOCUMENTS[route];
  const operations = all.filter(({ tag }) => (only ? tag === only : !OWN_DOCUMENT.includes(tag)));
  const tags = Object.entries(TAGS).filter(([name]) => operations.some(({ tag }) => tag === name));
  const schemes = Object.entries(SECURITY).filter(([name]) => operations.some(({ key }) => key === name));
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title,
        version: '1.0.0',
        summary: 'Renders moments of recorded Counter-Strike 2 matches.',
        description,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      // The service replaces the URL with its own when it serves the document (src/docs/openapi.ts).
      servers: [{ url: '/', description: 'The service that this document comes from.' }],
      tags: [
        ...tags.map(([name, description]) => ({ name, description })),
        ...(only ? [] : [{ name: 'Webhooks', description: 'Requests that the service posts to your `webhook_url`.' }]),
      ],
      paths: paths(operations),
      ...(only ? {} : { webhooks: webhookPaths() }),
      components: {
        // Only the data of events refers to it.
        ...(only ? {} : { schemas: { JobNotice } }),
        headers: {
          'X-Request-Id': {
            description: 'Id of the request. Every answer has one.',
            schema: { type: 'string', format: 'uuid' },
          },
        },
        responses: problemComponents(operations.map(problemsOf)),
        securitySchemes: {
          ...Object.fromEntries(
            schemes.map(([name, description]) => [name, { type: 'http', scheme: 'bearer', description }]),
          ),
          ...(only ? {} : { webhookAuthHeader: WEBHOOK_AUTH_HEADER }),
        },
      },
    },
    { override: openObjects },
  );
  return `${JSON.stringify(tidySchemas(JSON.parse(JSON.stringify(document))), null, 2)}\n`;
}

/** The bearer tokens by the name of their security scheme. */
const SECURITY = {
  apiKey:
    "An account's metered key (`tr_met_…`) or reserved key (`tr_res_…`). Either reads and changes everything of the account; the one that submits a job decides how it is queued. A test key (`tr_test_…`) has jobs, clips and lists of its own, which cost nothing.",
  hostToken: "A render host's token (`tr_host_…`).",
  registrationToken: "A registration's token (`tr_reg_…`).",
  operatorToken: "An operator's token, or `ADMIN_TOKEN`.",
  consoleSession: "An operator's token, or a session's cookie.",
  metricsToken: 'The `METRICS_TOKEN` of a monitor.',
};

const WEBHOOK_AUTH_HEADER = {
  type: 'apiKey',
  in: 'header',
  name: 'Authorization',
  description:
    'The text that you sent as `webhook_auth_header`, unchanged. Without that, webhooks carry no such header.',
} as const;

function paths(operations: readonly DescribedOperation[]): ZodOpenApiPathsObject {
  const out: ZodOpenApiPathsObject = {};
  for (const described of operations) {
    const { method, path } = described;
    const item = out[templateOf(path)] ?? {};
    out[templateOf(path)] = item;
    item[method.toLowerCase() as 'get'] = operationObject(described);
  }
  return out;
}

const NOT_HTTP = 'The server cannot read the request, for example because its headers are too long.';

function operationObject(described: DescribedOperation): ZodOpenApiOperationObject {
  const { id, tag, path, key, operation, words } = described;
  const requestBody = bodyObject(described);
  const problems = problemsOf(described);
  const refusesNothing = problems.every((kind) => PROBLEMS[kind].status >= 500);
  return {
    operationId: id,
    tags: [tag],
    summary: words.summary,
    description: words.description,
    security: key === null ? [] : [{ [key]: [] }],
    ...(operation.query ? { requestParams: { query: operation.query as z.ZodObject } } : {}),
    parameters: [...pathParameters(path), ...headerParameters(words.headers), ...downloadParameter(path)],
    ...(requestBody ? { requestBody } : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(words.answers).map(([status, answer]) => {
          return [status, responseObject(answer, answerOf(described, Number(status)))];
        }),
      ),
      ...problemResponses(problems),
      // Redocly's recommended rules want a 4XX in each operation.
      ...(refusesNothing ? { '4XX': { description: NOT_HTTP } } : {}),
    },
  };
}

/** Converts `/api/jobs/:id` to `/api/jobs/{id}`. */
function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

/** What a parameter names, by it or by the part of the path before it, unless that is an id of a thing of this part. */
const NAMED_BY: Record<string, string> = {
  builds: 'The build of the game.',
  errors: 'The error code of a job.',
  files: 'Id of the asset or upload.',
  'host-registrations': 'Id of the registration.',
  hosts: 'Id of the render host.',
  player: 'Name of the player file.',
  use: 'The use of the asset in the order.',
  'webhook-secrets': 'Id of the secret.',
};

function pathParameters(path: string) {
  return [...path.matchAll(/([\w-]+)\/:(\w+)/g)].map(([, collection = '', name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    description: NAMED_BY[name] ?? NAMED_BY[collection] ?? `Id of the ${collection.replace(/s$/, '')}.`,
    schema: { type: 'string' as const, ...(['build', 'code', 'use'].includes(name) ? {} : { format: 'uuid' }) },
  }));
}

function headerParameters(headers: Readonly<Record<string, HeaderWords>> = {}) {
  return Object.entries(headers).map(([name, { description, example }]) => ({
    name,
    in: 'header' as const,
    required: false,
    description,
    schema: { type: 'string' as const },
    example,
  }));
}

/** The flag `download` of the files of a clip; it has no value. */
function downloadParameter(path: string) {
  if (!/\.(mp4|jpg)$/.test(path)) return [];
  return [
    {
      name: 'download',
      in: 'query' as const,
      required: false,
      allowEmptyValue: true,
      description: 'Save the file instead of showing it.',
      schema: { type: 'string' as const },
    },
  ];
}
