import { PUBLIC_ROUTES } from '#protocol/routes.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { page } from '../page-words.ts';
import { partPage } from './reference-page.ts';

export const operatorDocs = operation({
  route: PUBLIC_ROUTES.operatorDocs,
  scope: 'public',
  handler: partPage('Operators', 'Accounts, keys and render hosts.', PUBLIC_ROUTES.operatorOpenApi),
});

export const words = (): OperationWords => ({
  tag: 'Reference',
  summary: 'Read what the operator does',
  description: 'The document for operators of the service.',
  answers: { 200: page('The page.') },
});
