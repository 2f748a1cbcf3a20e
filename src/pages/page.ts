import { Html, html } from './html.ts';
import { PAGE_STYLES } from './page-styles.ts';

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
  /** Style for viewers without JavaScript. */
  readonly stylesWithoutScript?: string;
  /** The page's script, as `npm run page-scripts` made it. */
  readonly script?: string;
  /** Whether the script asks this origin for anything. */
  readonly connects?: boolean;
  /** Another origin than the page's that its video and images may come from. */
  readonly mediaOrigin?: string | null;
  /** For a page that is the same for everybody; without it, no cache keeps the page. */
  readonly cacheControl?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Two players of a radar, one of each team. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%23141b24'/%3E%3Cpath d='M12 20 24 5l4 9z' fill='%23ff9d42' opacity='.45'/%3E%3Ccircle cx='12' cy='20' r='6' fill='%23ff9d42'/%3E%3Ccircle cx='24' cy='24' r='3' fill='%2356a8ff'/%3E%3C/svg%3E";

/**
 * Answers with a page that carries its own style and script and asks nobody else for anything. The policy allows this
 * origin's media, the style and the script with their nonce, and nothing more; no cookie is ever set.
 */
export function pageResponse(page: Page): Response {
  const nonce = crypto.randomUUID();
  const { stylesWithoutScript: bare, script } = page;
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<title>${page.title}</title>
<link rel="icon" href="${new Html(ICON)}">
${page.head ?? null}
<style nonce="${nonce}">${new Html(PAGE_STYLES + (page.styles ?? ''))}</style>
${bare === undefined ? null : html`<noscript><style nonce="${nonce}">${new Html(bare)}</style></noscript>`}
</head>
<body class="${page.bodyClass}">
${page.body}
${script === undefined ? null : html`<script nonce="${nonce}">${new Html(script)}</script>`}
</body>
</html>
`;
  const media = `'self'${page.mediaOrigin ? ` ${page.mediaOrigin}` : ''}`;
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    ...(script === undefined ? [] : [`script-src 'nonce-${nonce}'`]),
    ...(page.connects ? ["connect-src 'self'"] : []),
    `img-src ${media} data:`,
    `media-src ${media}`,
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
      // Pages play a video, and ask a viewer for nothing.
      'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
      'Referrer-Policy': 'strict-origin-when-cross-origin',
      'X-Content-Type-Options': 'nosniff',
      ...page.headers,
    },
  });
}
