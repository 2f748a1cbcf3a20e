import type { Handler } from '#http/router.ts';
import { href, PUBLIC_ROUTES } from '#protocol/routes.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { loadedPerService } from '#service/per-service.ts';
import type { Service } from '#service/service.ts';
import { buildText, sendPage } from '../pages/page.ts';
import type { DocumentRoute } from './openapi-document.ts';

export const openApi = operation({
  route: PUBLIC_ROUTES.openApi,
  scope: 'public',
  handler: documentFile(PUBLIC_ROUTES.openApi),
});

export const words = (): OperationWords => ({
  tag: 'Reference',
  summary: 'Read this document',
  description: 'The API as OpenAPI 3.1, generated from the operations that the service runs.',
  answers: { 200: documentAnswer },
});

export const documentAnswer = { description: 'The document.', content: { types: ['application/json'] } };

/** Returns the handler of an OpenAPI document: its static file, with the URL of this service as its server. */
export function documentFile(route: DocumentRoute): Handler<Service> {
  const documentOf = loadedPerService(async ({ settings, staticFile }) => {
    const text = await (await staticFile(href(route).slice(1))).text();
    return buildText(text.replace('"url": "/"', `"url": ${JSON.stringify(settings.baseUrl)}`), {
      'Content-Type': 'application/json',
      'Cache-Control': 'public, max-age=300',
      'Access-Control-Allow-Origin': '*',
      Vary: 'Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
    });
  });
  return async (service, { request }) => sendPage(await documentOf(service), request);
}
