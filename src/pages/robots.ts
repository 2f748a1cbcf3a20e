import { type OperationWords, operation } from '#service/operation.ts';

const TEXT = `User-agent: *
Disallow: /api/
Disallow: /admin/
Disallow: /gateway/
`;

/** (RFC 9309): pages are for everybody; what needs a key has nothing for a crawler. */
export const robots = operation({
  route: 'GET /robots.txt',
  scope: 'public',
  handler: () =>
    new Response(TEXT, {
      headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'public, max-age=86400' },
    }),
});

export const words = (): OperationWords => ({
  tag: 'Viewing',
  summary: 'Tell crawlers where to look',
  description: 'Pages are for everybody; what needs a key has nothing for a crawler.',
  answers: { 200: { description: 'As RFC 9309 has it.', content: { types: ['text/plain'] } } },
});
