import { href, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { operation, type Words } from '#service/lib/operation.ts';

/** See llmstxt.org. */
export const llms = operation({
  route: PUBLIC_ROUTES.llms,
  scope: 'public',
  handler: async ({ settings: { baseUrl } }) =>
    new Response(llmsText(baseUrl), {
      headers: {
        'Content-Type': 'text/plain; charset=utf-8',
        'Cache-Control': 'public, max-age=300',
        'Access-Control-Allow-Origin': '*',
        'X-Content-Type-Options': 'nosniff',
      },
    }),
});

export const words = (): Words => ({
  llms: {
    tag: 'Reference',
    summary: 'Show language models where to read',
    description: 'Describes the service for language models, with links (llmstxt.org).',
    answers: { 200: { description: 'The description as text.', content: { types: ['text/plain'] } } },
  },
});

const llmsText = (baseUrl: string) => `# Tickreel

> Renders moments of recorded Counter-Strike 2 matches into clips: post the address of a demo with the moments that you want, get one MP4, one thumbnail and a page to share.

Every call below \`/api\` carries \`Authorization: Bearer <key>\`. A submit answers at once; the clip comes later. Give each submit an \`idempotency_key\`, so that it can be repeated without harm.

Agents may use the tools of the Model Context Protocol instead, with the same key: streamable HTTP at ${baseUrl}${href(PUBLIC_ROUTES.mcp)}.

## Docs

- [OpenAPI](${baseUrl}${href(PUBLIC_ROUTES.openApi)}): the API as OpenAPI 3.1; read this first
- [Guide](${baseUrl}${href(PUBLIC_ROUTES.docs)}): quickstart, keys, idempotency, the life of a job, webhooks, errors, limits
- [Kinds of problem](${baseUrl}${href(PUBLIC_ROUTES.problemDocs)}): what each error means

## Optional

- [OpenAPI for render hosts](${baseUrl}${href(PUBLIC_ROUTES.gatewayOpenApi)}): what render hosts send to the service
- [OpenAPI for operators](${baseUrl}${href(PUBLIC_ROUTES.operatorOpenApi)}): accounts, keys and render hosts
`;
