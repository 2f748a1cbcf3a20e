import { Html, html } from './html.ts';
import { STYLES } from './styles.ts';

export interface Page {
  readonly title: string;
  readonly head?: Html;
  readonly body: Html;
  readonly status?: number;
  /** Who may show the page in a frame. */
  readonly frameAncestors: "'self'" | '*';
  readonly bodyClass: string;
  /** Beyond the style of all pages. */
  readonly styles?: string;
  /** For a page that is the same for everybody; without it, no cache keeps the page. */
  readonly cacheControl?: string;
}

/**
 * Answers with a page that carries its own style and asks nobody else for anything. The policy allows this origin's
 * media, the one style with its nonce, and nothing more; no cookie is ever set.
 */
export function pageResponse(page: Page): Response {
  const nonce = crypto.randomUUID();
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<title>${page.title}</title>
<link rel="icon" href="data:,">
${page.head ?? null}
<style nonce="${nonce}">${new Html(STYLES + (page.styles ?? ''))}</style>
</head>
<body class="${page.bodyClass}">
${page.body}
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "media-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${page.frameAncestors}`,
  ].join('; ');
  return new Response(document.text, {
    status: page.status ?? 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': page.cacheControl ?? 'no-store',
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'strict-origin-when-cross-origin',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}
