import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Request, Response } from 'miniflare';
import { PROJECT_ROOT } from './project-root.ts';

/** The folder of static files, as in wrangler.toml. */
export const STATIC_FOLDER = 'src/static';

/**
 * Answers the Worker's reads of static files. With its own static assets, Miniflare would put two more Workers before
 * every request, which halves the answers a second (miniflare 4.20260730.0, `rpc-proxy` and `router`).
 */
export async function serveStatic(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const content = await readFile(join(PROJECT_ROOT, STATIC_FOLDER, pathname)).catch(() => null);
  if (content === null) return new Response(null, { status: 404 });
  const etag = `"${createHash('sha256').update(content).digest('hex')}"`;
  const isKnown = request.headers.get('If-None-Match')?.includes(etag);
  return new Response(isKnown ? null : content, { status: isKnown ? 304 : 200, headers: { ETag: etag } });
}
