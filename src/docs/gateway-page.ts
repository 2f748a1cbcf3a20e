import { PUBLIC_ROUTES } from '#protocol/routes.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { page } from '../page-words.ts';
import { partPage } from './reference-page.ts';

export const gatewayDocs = operation({
  route: PUBLIC_ROUTES.gatewayDocs,
  scope: 'public',
  handler: partPage('Render hosts', 'What render hosts send to the service.', PUBLIC_ROUTES.gatewayOpenApi),
});

export const words = (): OperationWords => ({
  tag: 'Reference',
  summary: 'Read what render hosts send',
  description: 'The document for authors of render hosts.',
  answers: { 200: page('The page.') },
});
