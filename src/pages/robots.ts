const TEXT = `User-agent: *
Disallow: /api/
Disallow: /admin/
Disallow: /gateway/
`;

/** `GET /robots.txt` (RFC 9309). Crawlers may read pages, but nothing that needs a key. */
export function robots(): Response {
  return new Response(TEXT, {
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'public, max-age=86400' },
  });
}
