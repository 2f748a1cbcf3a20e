import { PUBLIC_ROUTES } from '#protocol/routes.ts';
import { type OperationWords, operation } from '#service/operation.ts';

export const openApi = operation({
  route: PUBLIC_ROUTES.openApi,
  scope: 'public',
  handler: async ({ staticFile }, { request }) => {
    const known = request.headers.get('If-None-Match');
    const { body, status, headers } = await staticFile(
      'openapi.json',
      known === null ? {} : { 'If-None-Match': known },
    );
    return new Response(body, {
      status,
      headers: {
        'Content-Type': 'application/json',
        'Cache-Control': 'public, max-age=300',
        'Access-Control-Allow-Origin': '*',
        'X-Content-Type-Options': 'nosniff',
        ETag: headers.get('ETag') ?? '',
      },
    });
  },
});

export const words = (): OperationWords => ({
  tag: 'Reference',
  summary: 'Read this document',
  description: 'The API as OpenAPI 3.1, generated from the operations that the service runs.',
  answers: { 200: { description: 'The document.', content: { types: ['application/json'] } } },
});
