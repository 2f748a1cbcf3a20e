import type { OperationWords } from '#protocol/lib/operation-words.ts';
import { type DocumentRoute, href, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { type Operation, operation, type Words } from '#service/lib/operation.ts';
import { loadedPerService } from '#service/lib/service.ts';
import { buildText, sendPage } from '../page/page.ts';

export const openApi = documentAt(PUBLIC_ROUTES.openApi);

function documentWords(summary: string, description: string): OperationWords {
  const content = { types: ['application/json'] };
  return {
    tag: 'Reference',
    summary,
    description,
    answers: { 200: { description: 'The document as JSON.', content } },
  };
}

/** Returns the operation of an OpenAPI document: its static file, with the URL of this service as its server. */
function documentAt(route: DocumentRoute): Operation<DocumentRoute> {
  const documentOf = loadedPerService(async ({ settings, staticFile }) => {
    const text = await (await staticFile(href(route).slice(1))).text();
    // A function, because a `$` in a replacement text has a meaning.
    const withUrl = text.replace('"url": "/"', () => `"url": ${JSON.stringify(settings.baseUrl)}`);
    return buildText(withUrl, {
      'Content-Type': 'application/json',
      'Cache-Control': 'public, max-age=300',
      'Access-Control-Allow-Origin': '*',
      Vary: 'Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
    });
  });
  return operation({
    route,
    scope: 'public',
    handler: async (service, { request }) => sendPage(await documentOf(service), request),
  });
}

export const gatewayOpenApi = documentAt(PUBLIC_ROUTES.gatewayOpenApi);

export const operatorOpenApi = documentAt(PUBLIC_ROUTES.operatorOpenApi);

export const words = (): Words => ({
  openApi: documentWords(
    'Read this document',
    'The API as OpenAPI 3.1, generated from the operations that the service runs.',
  ),
  gatewayOpenApi: documentWords(
    "Read the render hosts' document",
    'Describes the requests of render hosts, as OpenAPI 3.1.',
  ),
  operatorOpenApi: documentWords(
    "Read the operator's document",
    "Describes the operations of the service's operator, as OpenAPI 3.1.",
  ),
});
