import type { ClipFile } from '../domain/storage-keys.ts';
import type { Bindings } from '../durable-objects/bindings.ts';
import type { Settings } from '../durable-objects/settings.ts';
import { bindRoutes, type Handler, type Route } from '../http/router.ts';
import { PUBLIC_ROUTES } from '../protocol/routes.ts';
import { openApiFile } from './docs/openapi-file.ts';
import { problemsPage } from './docs/problems-page.ts';
import { createReferencePage } from './docs/reference-page.ts';
import { serveClipFile } from './media/clip-media.ts';
import { withPages, withProblems } from './pages/absent-clip.ts';
import { clipPage } from './pages/clip-page.ts';
import { embedPage } from './pages/embed-page.ts';
import { landingPage } from './pages/landing-page.ts';
import { oembed } from './pages/oembed.ts';
import { robots } from './pages/robots.ts';

/** What viewers and readers load, without any key. */
export function publicRoutes(env: Bindings, settings: Settings): Route[] {
  const file = (kind: ClipFile): Handler =>
    withPages(env, (request, { params, waitUntil }) =>
      serveClipFile({ env, settings, waitUntil }, idOf(params), kind, request),
    );
  return bindRoutes(PUBLIC_ROUTES, {
    landing: () => landingPage(env, settings),
    clipPage: withProblems((_, { params, url }) => clipPage(env, settings, idOf(params), url.searchParams)),
    clipEmbed: withProblems((_, { params, url }) => embedPage(env, settings, idOf(params), url.searchParams)),
    clipVideo: file('video'),
    clipThumbnail: file('thumbnail'),
    oembed: (_, { url }) => oembed(env, settings, url.searchParams),
    robots,
    openApi: openApiFile,
    docs: createReferencePage(settings.baseUrl, settings.clipTtl),
    problemDocs: problemsPage,
  });
}

function idOf(params: Readonly<Record<string, string>>): string {
  return (params.id ?? '').toLowerCase();
}
