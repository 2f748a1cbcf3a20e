import type { ClipFile } from '../domain/storage-keys.ts';
import type { Bindings } from '../durable-objects/bindings.ts';
import type { Settings } from '../durable-objects/settings.ts';
import { bindRoutes, type Handler, type Route } from '../http/router.ts';
import { PUBLIC_ROUTES } from '../protocol/routes.ts';
import { openApiFile } from './docs/openapi-file.ts';
import { problemsPage } from './docs/problems-page.ts';
import { createReferencePage } from './docs/reference-page.ts';
import { serveClipFile } from './media/clip-media.ts';
import { clipPage, embedPage } from './pages/clip-page.ts';

/** What viewers and readers load, without any key. Every route answers HEAD as it answers GET. */
export function publicRoutes(env: Bindings, settings: Settings): Route[] {
  const file =
    (kind: ClipFile): Handler =>
    (request, { params }) =>
      serveClipFile(env, idOf(params), kind, request);
  const routes = bindRoutes(PUBLIC_ROUTES, {
    clipPage: (_, { params }) => clipPage(env, settings.baseUrl, idOf(params)),
    clipEmbed: (_, { params }) => embedPage(env, idOf(params)),
    clipVideo: file('video'),
    clipThumbnail: file('thumbnail'),
    openApi: openApiFile,
    docs: createReferencePage(settings.baseUrl, settings.clipTtl),
    problemDocs: problemsPage,
  });
  return routes.flatMap((route): Route[] => [route, { ...route, method: 'HEAD' }]);
}

function idOf(params: Readonly<Record<string, string>>): string {
  return (params.id ?? '').toLowerCase();
}
