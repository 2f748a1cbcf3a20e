import { operation, type Words } from '#service/lib/operation.ts';

const TEXT = `User-agent: *
Disallow: /api/
Disallow: /admin/
Disallow: /gateway/
`;

export const robots = operation({
  route: 'GET /robots.txt',
  scope: 'public',
  handler: () =>
    new Response(TEXT, {
      headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'public, max-age=86400' },
    }),
});

export const words = (): Words => ({
  robots: {
    tag: 'Viewing',
    summary: 'Tell crawlers where to look',
    description: 'Crawlers may read pages, and nothing that needs a key.',
    answers: { 200: { description: 'The rules for crawlers (RFC 9309).', content: { types: ['text/plain'] } } },
  },
});
