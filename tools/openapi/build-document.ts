import type * as z from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { JobNotice } from '#protocol/job-notice.ts';
import type { HeaderWords, Tag } from '#protocol/operation-words.ts';
import { bodyObject, responseObject } from './content.ts';
import type { DescribedOperation } from './described-operation.ts';
import { INTRODUCTION } from './introduction.ts';
import { problemComponents, problemResponses, problemsOf } from './problems.ts';
import { openObjects, tidySchemas } from './tidy-schemas.ts';
import { webhookPaths } from './webhooks.ts';

const TAGS: Record<Tag, string> = {
  Clips: 'Submit a render, read its clip, keep it or delete it.',
  Jobs: 'Follow a render job, run it again, and see what became of its webhook.',
  Demos: 'See what is in a demo before you request a clip, and upload demos that have no URL.',
  Assets: 'Images that you upload and name in a request.',
  Usage: 'What was rendered for you.',
  Events: 'Hear of all your jobs at once, have webhooks signed, and try your receiver.',
  Viewing: 'Pages and files of a clip, for everybody who has its address.',
  Reference: 'This document and its pages.',
  Gateway: 'What render hosts say to the service, version 1. Clients do not need it.',
  Administration: 'What the operator of the service does. Clients do not need it.',
};

/** Builds the OpenAPI 3.1 document. The same source gives the same document. */
export function buildDocument(operations: readonly DescribedOperation[]): Record<string, unknown> {
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Tickreel',
        version: '1.0.0',
        summary: 'Renders moments of recorded Counter-Strike 2 matches.',
        description: INTRODUCTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'The service that this document comes from.' }],
      tags: [
        ...Object.entries(TAGS).map(([name, description]) => ({ name, description })),
        { name: 'Webhooks', description: 'What the service posts to your `webhook_url`.' },
      ],
      paths: paths(operations),
      webhooks: webhookPaths(),
      components: {
        // Only the data of events refers to it.
        schemas: { JobNotice },
        headers: {
          'X-Request-Id': {
            description: 'Names this request. Every answer has one.',
            schema: { type: 'string', format: 'uuid' },
          },
        },
        responses: problemComponents(operations.map(problemsOf)),
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description:
              "An account's metered key (`tr_met_…`) or reserved key (`tr_res_…`). Either reads and changes everything of the account; the one that submits a job decides how it is queued.",
          },
          hostToken: { type: 'http', scheme: 'bearer', description: "A render host's token (`tr_host_…`)." },
          registrationToken: {
            type: 'http',
            scheme: 'bearer',
            description: "A registration's token (`tr_reg_…`).",
          },
          operatorToken: { type: 'http', scheme: 'bearer', description: "An operator's token, or `ADMIN_TOKEN`." },
          consoleSession: {
            type: 'http',
            scheme: 'bearer',
            description: "An operator's token, or a session's cookie.",
          },
          metricsToken: { type: 'http', scheme: 'bearer', description: "A monitor's `METRICS_TOKEN`." },
          webhookAuthHeader: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description:
              'What you sent as `webhook_auth_header`, as it is. Without that, webhooks carry no such header.',
          },
        },
      },
    },
    { override: openObjects },
  );
  return tidySchemas(JSON.parse(JSON.stringify(document)));
}

function paths(operations: readonly DescribedOperation[]): ZodOpenApiPathsObject {
  const out: ZodOpenApiPathsObject = {};
  for (const described of operations) {
    const { method, path, key } = described;
    const item = out[templateOf(path)] ?? {};
    out[templateOf(path)] = item;
    const operation = operationObject(described);
    item[method.toLowerCase() as 'get'] = operation;
    if (key === null) item.head = headOf(operation);
  }
  return out;
}

function operationObject(described: DescribedOperation): ZodOpenApiOperationObject {
  const { id, tag, path, key, operation, words } = described;
  const requestBody = bodyObject(described);
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
      ...Object.fromEntries(Object.entries(words.answers).map(([status, answer]) => [status, responseObject(answer)])),
      ...problemResponses(problemsOf(described)),
    },
  };
}

/** Returns the HEAD operation of a public GET: the same without a body. */
function headOf(operation: ZodOpenApiOperationObject): ZodOpenApiOperationObject {
  const withoutBody = Object.entries(operation.responses)
    .filter(([status]) => status !== '206' && status !== '416')
    .map(([status, response]) => [status, '$ref' in response ? response : { ...response, content: {} }]);
  return {
    ...operation,
    operationId: `${operation.operationId}Head`,
    summary: `${operation.summary}: headers alone`,
    description: 'As GET, without a body.',
    responses: Object.fromEntries(withoutBody),
  };
}

/** Converts `/api/jobs/:id` to `/api/jobs/{id}`. */
function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

const NAMED_BY: Record<string, string> = {
  accounts: 'The account.',
  assets: 'The asset.',
  builds: 'The build of the game.',
  clips: 'The clip.',
  errors: 'The code.',
  hosts: 'The render host.',
  'webhook-secrets': 'The secret.',
  jobs: 'The job.',
  keys: 'The key.',
};

function pathParameters(path: string) {
  return [...path.matchAll(/([\w-]+)\/:(\w+)/g)].map(([, collection = '', name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    description: NAMED_BY[collection] ?? '',
    schema: { type: 'string' as const, ...(['build', 'code'].includes(name) ? {} : { format: 'uuid' }) },
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
