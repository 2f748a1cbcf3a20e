import { PUBLIC_ROUTES } from '#protocol/routes.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { documentAnswer, documentFile } from './openapi-file.ts';

export const operatorOpenApi = operation({
  route: PUBLIC_ROUTES.operatorOpenApi,
  scope: 'public',
  handler: documentFile(PUBLIC_ROUTES.operatorOpenApi),
});

export const words = (): OperationWords => ({
  tag: 'Reference',
  summary: "Read the operator's document",
  description: 'What the operator of the service does, as OpenAPI 3.1.',
  answers: { 200: documentAnswer },
});
