import type { Brand } from '#domain/account/brand.ts';
import { createRecent } from '#domain/lib/rate-buckets.ts';
import { checkConditions, takesGzip } from '#http/headers.ts';
import { sha256Hex } from '#platform/digest.ts';
import { perService } from '#service/lib/service.ts';
import { brandStyles, iconOf } from './brand.ts';
import { Html, html } from './html.ts';
import { PAGE_STYLES } from './page-styles.ts';

export interface Page {
  readonly brand: Brand;
  readonly title: string;
  readonly head?: Html;
  readonly body: Html;
  readonly status?: number;
  /** The sites that may show the page in a frame. */
  readonly frameAncestors: string;
  readonly bodyClass: string;
  /** Added to the style of all pages. */
  readonly styles?: string;
  /** Style for viewers without JavaScript. */
  readonly stylesWithoutScript?: string;
  /** The page's script. `npm run page-scripts` builds it. */
  readonly script?: string;
  /** The address of a script in a file of its own, which may load fonts of this origin. */
  readonly scriptFile?: string;
  /** Whether the script makes requests to this origin. */
  readonly connects?: boolean;
  /** Whether it shows other pages of this origin in frames. */
  readonly hasFrames?: boolean;
  /** Another origin of its video and images. */
  readonly mediaOrigin?: string | null;
  /** `no-store` unless given. */
  readonly cacheControl?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A page that is ready to be sent. It is the same for everybody. */
export interface BuiltPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
  /** Quoted; of the page without compression. */
  readonly etag: string;
}

/**
 * Builds a page with its style and script inline. The policy allows only these, by their hashes, and media of this
 * origin. The page sets no cookie.
 */
export async function makePage(page: Page): Promise<BuiltPage> {
  const { brand, stylesWithoutScript: bare, script, scriptFile } = page;
  const styles = PAGE_STYLES + (page.styles ?? '');
  const colours = brandStyles(brand);
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<title>${page.title}</title>
<link rel="icon" href="${iconOf(brand)}">
${page.head ?? null}${scriptFile === undefined ? null : html`<script src="${scriptFile}" defer></script>`}
<style>${new Html(styles)}</style>${colours && html`<style>${new Html(colours)}</style>`}
${bare === undefined ? null : html`<noscript><style>${new Html(bare)}</style></noscript>`}
</head>
<body class="${page.bodyClass}">
${page.body}
${script === undefined ? null : html`<script>${new Html(script)}</script>`}
</body>
</html>
`;
  const media = `'self'${page.mediaOrigin ? ` ${page.mediaOrigin}` : ''}`;
  const allowed = await Promise.all([styles, colours, bare].flatMap((style) => (style ? [hashSource(style)] : [])));
  const policy = [
    "default-src 'none'",
    `style-src ${allowed.join(' ')}`,
    ...(script === undefined ? [] : [`script-src ${await hashSource(script)}`]),
    ...(scriptFile === undefined ? [] : ["script-src 'self'", "font-src 'self'"]),
    ...(page.hasFrames ? ["frame-src 'self'"] : []),
    ...(page.connects ? ["connect-src 'self'"] : []),
    `img-src ${media} data:`,
    `media-src ${media}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${page.frameAncestors}`,
  ].join('; ');
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': page.cacheControl ?? 'no-store',
    'Content-Security-Policy': policy,
    // Pages need no permission to play a video.
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    Vary: 'Accept, Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
    ...page.headers,
  };
  return buildText(document.text, headers, page.status);
}

/** Compresses a text and computes its ETag. */
export async function buildText(text: string, headers: BuiltPage['headers'], status: number = 200): Promise<BuiltPage> {
  const plain = Uint8Array.from(new TextEncoder().encode(text));
  const etag = `"${(await sha256Hex(plain)).slice(0, 32)}"`;
  return { status, headers, plain, gzip: await gzip(plain), etag };
}

/** Answers with a page, compressed if the client accepts gzip, or with 304 if the client has it. */
export function sendPage(page: BuiltPage, request: Request): Response {
  const isGzip = takesGzip(request);
  // A strong tag differs if the bytes differ.
  const etag = isGzip ? page.etag.replace(/"$/, '-gzip"') : page.etag;
  const headers = { ...page.headers, ETag: etag };
  if (
    page.status === 200 &&
    request.headers.has('If-None-Match') &&
    checkConditions(request.headers, etag, 0) === 304
  ) {
    return new Response(null, { status: 304, headers });
  }
  if (!isGzip) return new Response(page.plain, { status: page.status, headers });
  const encoded = { ...headers, 'Content-Encoding': 'gzip' };
  return new Response(page.gzip, { status: page.status, headers: encoded, encodeBody: 'manual' });
}

/** Returns the page of a name. Builds it once for each version of its content. */
type Pages = (name: string, version: number, make: () => Page | Promise<Page>) => Promise<BuiltPage>;

/** The most pages that are cached: about 20 MB. */
const MAX_PAGES = 500;

export const pagesOf = perService(createPages);

function createPages(): Pages {
  const made = createRecent<{ readonly version: number; readonly page: BuiltPage }>(MAX_PAGES);
  return async (name, version, make) => {
    const known = made.get(name);
    if (known?.version === version) return known.page;
    const page = await makePage(await make());
    made.set(name, { version, page });
    return page;
  };
}

const hashes = new Map<string, string>();

/** Returns the CSP source of a style or a script (https://www.w3.org/TR/CSP3/#framework-directive-source-list). */
export async function hashSource(text: string): Promise<string> {
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
