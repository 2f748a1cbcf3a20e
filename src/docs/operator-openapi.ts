import { PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import type { Words } from '#service/lib/operation.ts';
import { documentAt, documentWords } from './openapi.ts';

export const operatorOpenApi = documentAt(PUBLIC_ROUTES.operatorOpenApi);

export const words = (): Words => ({
  operatorOpenApi: documentWords(
    "Read the operator's document",
    "Describes the operations of the service's operator, as OpenAPI 3.1.",
  ),
});
