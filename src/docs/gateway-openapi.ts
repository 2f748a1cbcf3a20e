import { PUBLIC_ROUTES } from '#protocol/routes.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { documentAnswer, documentFile } from './openapi-file.ts';

export const gatewayOpenApi = operation({
  route: PUBLIC_ROUTES.gatewayOpenApi,
  scope: 'public',
  handler: documentFile(PUBLIC_ROUTES.gatewayOpenApi),
});

export const words = (): OperationWords => ({
  tag: 'Reference',
  summary: "Read the render hosts' document",
  description: 'What render hosts send to the service, as OpenAPI 3.1.',
  answers: { 200: documentAnswer },
});
