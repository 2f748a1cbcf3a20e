import { href, PUBLIC_ROUTES } from '#protocol/routes.ts';
import { loadedPerService } from '#service/per-service.ts';
import type { Service } from '#service/service.ts';
import type { DocumentRoute, OpenApiDocument, Reference } from './openapi-document.ts';

/** Returns the reference of clients. */
export const referenceOf = referenceTo(PUBLIC_ROUTES.openApi);

/** Returns a function that reads the reference of a document, once an isolate. */
export function referenceTo(route: DocumentRoute): (service: Service) => Promise<Reference> {
  return loadedPerService(async ({ settings: { baseUrl, clipTtl }, staticFile }): Promise<Reference> => {
    const document: OpenApiDocument = await (await staticFile(href(route).slice(1))).json();
    return { document, baseUrl, clipTtl };
  });
}
