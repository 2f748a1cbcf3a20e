import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { JobNotice } from '#protocol/job-notice.ts';
import type { Method } from '#protocol/routes.ts';
import { allOperations } from './all-operations.ts';
import { contentObject, responseObject } from './content.ts';
import { INTRODUCTION } from './introduction.ts';
import { type HeaderDoc, type OperationDoc, TAGS } from './operation.ts';
import { problemComponents, problemResponses, problemsOf } from './problems.ts';
import { openObjects, tidySchemas } from './tidy-schemas.ts';
import { webhookPaths } from './webhooks.ts';

/** The API as an OpenAPI 3.1 document, the same for the same source. */
export function buildDocument(): Record<string, unknown> {
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
      paths: paths(),
      webhooks: webhookPaths(),
      components: {
        // Nothing but the data of events refers to it.
        schemas: { JobNotice },
        headers: {
          'X-Request-Id': {
            description: 'Names this request. Every answer has one.',
            schema: { type: 'string', format: 'uuid' },
          },
        },
        responses: problemComponents(
          allOperations().map(({ doc, method, path, key }) => problemsOf(doc, method, path, key)),
        ),
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

function paths(): ZodOpenApiPathsObject {
  const out: ZodOpenApiPathsObject = {};
  for (const { id, method, path, key, doc } of allOperations()) {
    const item = out[templateOf(path)] ?? {};
    out[templateOf(path)] = item;
    const operation = operationObject(id, method, path, key, doc);
    item[method.toLowerCase() as 'get'] = operation;
    if (key === null) item.head = headOf(operation);
  }
  return out;
}

function operationObject(
  id: string,
  method: Method,
  path: string,
  key: string | null,
  doc: OperationDoc,
): ZodOpenApiOperationObject {
  return {
    operationId: id,
    tags: [doc.tag],
    summary: doc.summary,
    description: doc.description,
    security: key === null ? [] : [{ [key]: [] }],
    ...(doc.query ? { requestParams: { query: doc.query } } : {}),
    parameters: [...pathParameters(path), ...headerParameters(doc.headers), ...downloadParameter(path)],
    ...(doc.request ? { requestBody: { required: true, content: contentObject(doc.request) } } : {}),
    responses: {
      ...Object.fromEntries(Object.entries(doc.answers).map(([status, answer]) => [status, responseObject(answer)])),
      ...problemResponses(problemsOf(doc, method, path, key)),
    },
  };
}

/** What is open to everybody is also answered for HEAD: the same, without a body. */
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

/** `/api/jobs/:id` as `/api/jobs/{id}`. */
function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

const NAMED_BY: Record<string, string> = {
  accounts: 'The account.',
  assets: 'The asset.',
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
    schema: { type: 'string' as const, ...(name === 'code' ? {} : { format: 'uuid' }) },
  }));
}

function headerParameters(headers: Readonly<Record<string, HeaderDoc>> = {}) {
  return Object.entries(headers).map(([name, { description, example }]) => ({
    name,
    in: 'header' as const,
    required: false,
    description,
    schema: { type: 'string' as const },
    example,
  }));
}

/** The flag that the files of a clip know; it has no value. */
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
