import { href, PUBLIC_ROUTES } from '#protocol/routes.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { sendText } from './docs-text.ts';
import { operationsOf, type Reference, tagsOf } from './openapi-document.ts';
import { referenceOf } from './reference.ts';

/** See llmstxt.org. */
export const llms = operation({
  route: PUBLIC_ROUTES.llms,
  scope: 'public',
  handler: async (service) => sendText(llmsText(await referenceOf(service)), 'text/plain'),
});

export const words = (): OperationWords => ({
  tag: 'Reference',
  summary: 'Show language models where to read',
  description: 'What this is, and where each part of the reference is (llmstxt.org).',
  answers: { 200: { description: 'The text.', content: { types: ['text/plain'] } } },
});

function llmsText({ document, baseUrl }: Reference): string {
  const link = (name: string, line: Parameters<typeof href>[0], says: string) =>
    `- [${name}](${baseUrl}${href(line as 'GET /docs')}): ${says}`;
  const operations = tagsOf(document)
    .flatMap((tag) => operationsOf(document, tag))
    .map(
      ({ method, path, operation }) =>
        `- [${operation.summary}](${baseUrl}${href(PUBLIC_ROUTES.docs)}#${operation.operationId}): \`${method} ${path}\``,
    );
  return `# Tickreel

> Renders moments of recorded Counter-Strike 2 matches into clips: post the address of a demo with the moments that you want, get one MP4, one thumbnail and a page to share.

Every call below \`/api\` carries \`Authorization: Bearer <key>\`. A submit answers at once; the clip comes later. Give each submit an \`idempotency_key\`, so that it can be repeated without harm.

Agents may use the tools of the Model Context Protocol instead, with the same key: streamable HTTP at ${baseUrl}${href(PUBLIC_ROUTES.mcp)}.

## Docs

${link('Reference as Markdown', PUBLIC_ROUTES.docsText, 'quickstart, guide and every operation in one text; read this first')}
${link('OpenAPI', PUBLIC_ROUTES.openApi, 'the API as OpenAPI 3.1')}
${link('OpenAPI for render hosts', PUBLIC_ROUTES.gatewayOpenApi, 'what render hosts send, as OpenAPI 3.1')}
${link('OpenAPI for operators', PUBLIC_ROUTES.operatorOpenApi, 'what the operator does, as OpenAPI 3.1')}
${link('Reference', PUBLIC_ROUTES.docs, 'the same as a page, with samples in curl, TypeScript, Python and for the command line')}
${link('Kinds of problem', PUBLIC_ROUTES.problemDocs, 'what each error means')}
${link('What changed', PUBLIC_ROUTES.changesDocs, 'changes of the API')}

## Operations

${operations.join('\n')}

## Optional

${link('For render hosts', PUBLIC_ROUTES.gatewayDocs, 'what render hosts send to the service')}
${link('For operators', PUBLIC_ROUTES.operatorDocs, 'accounts, keys and render hosts')}
`;
}
