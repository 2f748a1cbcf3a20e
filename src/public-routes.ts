import type { ClipFile } from '../domain/storage-keys.ts';
import type { Bindings } from '../durable-objects/bindings.ts';
import type { Settings } from '../durable-objects/settings.ts';
import type { Handler, Route } from '../http/router.ts';
import { serveClipFile } from './media/clip-media.ts';
import { clipPage, embedPage } from './pages/clip-page.ts';

/** What viewers load, without any key. Every route answers HEAD as it answers GET. */
export function publicRoutes(env: Bindings, settings: Settings): Route[] {
  const file =
    (kind: ClipFile): Handler =>
    (request, { params }) =>
      serveClipFile(env, idOf(params), kind, request);
  const pages: [string, Handler][] = [
    ['/clips/:id', (_, { params }) => clipPage(env, settings.baseUrl, idOf(params))],
    ['/clips/:id/embed', (_, { params }) => embedPage(env, idOf(params))],
    ['/clips/:id/video.mp4', file('video')],
    ['/clips/:id/thumbnail.jpg', file('thumbnail')],
  ];
  return pages.flatMap(([path, handler]): Route[] => [
    { method: 'GET', path, handler },
    { method: 'HEAD', path, handler },
  ]);
}

function idOf(params: Readonly<Record<string, string>>): string {
  return (params.id ?? '').toLowerCase();
}
