import { loadedPerService } from '#service/per-service.ts';
import type { OpenApiDocument, Reference } from './openapi-document.ts';

/** Returns the reference. An isolate reads the document once. */
export const referenceOf = loadedPerService(
  async ({ settings: { baseUrl, clipTtl }, staticFile }): Promise<Reference> => {
    const document: OpenApiDocument = await (await staticFile('openapi.json')).json();
    return { document, baseUrl, clipTtl };
  },
);
