import { PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import type { Words } from '#service/lib/operation.ts';
import { documentAt, documentWords } from './openapi.ts';

export const gatewayOpenApi = documentAt(PUBLIC_ROUTES.gatewayOpenApi);

export const words = (): Words => ({
  gatewayOpenApi: documentWords(
    "Read the render hosts' document",
    'Describes the requests of render hosts, as OpenAPI 3.1.',
  ),
});
