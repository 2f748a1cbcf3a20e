import { createRecent } from '#domain/recent.ts';
import { takesGzip } from '#http/accept.ts';
import { checkConditions } from '#http/conditions.ts';
import { sha256Hex } from '#platform/digest.ts';
import { Html, html } from './html.ts';
import { PAGE_STYLES } from './page-styles.ts';

export interface Page {
  readonly title: string;
  readonly head?: Html;
  readonly body: Html;
  readonly status?: number;
  /** Who may show the page in a frame. */
  readonly frameAncestors: string;
  readonly bodyClass: string;
  /** Beyond the style of all pages. */
  readonly styles?: string;
  /** Style for viewers without JavaScript. */
  readonly stylesWithoutScript?: string;
  /** The page's script, as `npm run page-scripts` made it. */
  readonly script?: string;
  /** Whether the script asks this origin for anything, and another one where that is named. */
  readonly connects?: boolean | string;
  /** Whether it has a form that asks this origin. */
  readonly asks?: boolean;
  /** Another origin than the page's that its video and images may come from. */
  readonly mediaOrigin?: string | null;
  /** Without it, no cache keeps the page. */
  readonly cacheControl?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A page made ready to be sent to anybody: it is the same for all. */
export interface WholePage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
  /** Of the page without compression, quoted. */
  readonly etag: string;
}

/** Two players of a radar, one of each team. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%23141b24'/%3E%3Cpath d='M12 20 24 5l4 9z' fill='%23ff9d42' opacity='.45'/%3E%3Ccircle cx='12' cy='20' r='6' fill='%23ff9d42'/%3E%3Ccircle cx='24' cy='24' r='3' fill='%2356a8ff'/%3E%3C/svg%3E";

/**
 * Makes a page that carries its own style and script and asks nobody else for anything. The policy allows this
 * origin's media, the style and the script by their hashes, and nothing more; no cookie is ever set.
 */
export async function makePage(page: Page): Promise<WholePage> {
  const { stylesWithoutScript: bare, script } = page;
  const styles = PAGE_STYLES + (page.styles ?? '');
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<title>${page.title}</title>
<link rel="icon" href="${new Html(ICON)}">
${page.head ?? null}
<style>${new Html(styles)}</style>
${bare === undefined ? null : html`<noscript><style>${new Html(bare)}</style></noscript>`}
</head>
<body class="${page.bodyClass}">
${page.body}
${script === undefined ? null : html`<script>${new Html(script)}</script>`}
</body>
</html>
`;
  const media = `'self'${page.mediaOrigin ? ` ${page.mediaOrigin}` : ''}`;
  const allowed = await Promise.all([styles, ...(bare === undefined ? [] : [bare])].map(hashSource));
  const policy = [
    "default-src 'none'",
    `style-src ${allowed.join(' ')}`,
    ...(script === undefined ? [] : [`script-src ${await hashSource(script)}`]),
    ...(page.connects ? [`connect-src 'self'${page.connects === true ? '' : ` ${page.connects}`}`] : []),
    `img-src ${media} data:`,
    `media-src ${media}`,
    "base-uri 'none'",
    `form-action ${page.asks ? "'self'" : "'none'"}`,
    `frame-ancestors ${page.frameAncestors}`,
  ].join('; ');
  const plain = Uint8Array.from(new TextEncoder().encode(document.text));
  return {
    status: page.status ?? 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': page.cacheControl ?? 'no-store',
      'Content-Security-Policy': policy,
      // Pages play a video, and ask a viewer for nothing.
      'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
      'Referrer-Policy': 'strict-origin-when-cross-origin',
      Vary: 'Accept, Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
      ...page.headers,
    },
    plain,
    gzip: await gzip(plain),
    etag: `"${(await sha256Hex(plain)).slice(0, 32)}"`,
  };
}

/** Answers with a page, compressed where its reader takes that, or with 304 where the reader has it already. */
export function sendPage(page: WholePage, request: Request): Response {
  const { headers: asked } = request;
  const isGzip = takesGzip(request);
  // Strong, it differs where the bytes do.
  const etag = isGzip ? page.etag.replace(/"$/, '-gzip"') : page.etag;
  const headers = { ...page.headers, ETag: etag };
  if (page.status === 200 && asked.has('If-None-Match') && checkConditions(asked, etag, 0) === 304) {
    return new Response(null, { status: 304, headers });
  }
  if (!isGzip) return new Response(page.plain, { status: page.status, headers });
  const encoded = { ...headers, 'Content-Encoding': 'gzip' };
  return new Response(page.gzip, { status: page.status, headers: encoded, encodeBody: 'manual' });
}

/** Gives the page under a name as it was made of a version of what it shows; made once a version. */
export type Pages = (name: string, version: number, make: () => Page) => Promise<WholePage>;

/** Some 20 MB of pages. */
const PAGES_KEPT = 500;

export function createPages(): Pages {
  const made = createRecent<{ readonly version: number; readonly page: WholePage }>(PAGES_KEPT);
  return async (name, version, make) => {
    const known = made.get(name);
    if (known?.version === version) return known.page;
    const page = await makePage(make());
    made.set(name, { version, page });
    return page;
  };
}

const hashes = new Map<string, string>();

/** Of a style or a script, of which there are a dozen. https://www.w3.org/TR/CSP3/#framework-directive-source-list */
async function hashSource(text: string): Promise<string> {
  const known = hashes.get(text);
  if (known !== undefined) return known;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const source = `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
  hashes.set(text, source);
  return source;
}

async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
