import { notFound } from '#http/problem.ts';
import { PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { loadedPerService } from '#service/lib/service.ts';
import { buildText, sendPage } from '../page/page.ts';

/** How long browsers keep the files. The page names the script by its version. */
const HEADERS = { 'Cache-Control': 'public, max-age=86400', 'X-Content-Type-Options': 'nosniff' };

const scriptOf = loadedPerService(async ({ staticFile }) =>
  buildText(await (await staticFile('replay.js')).text(), {
    ...HEADERS,
    'Content-Type': 'text/javascript',
    Vary: 'Accept-Encoding',
  }),
);

const TYPES: Readonly<Record<string, string>> = { woff2: 'font/woff2', svg: 'image/svg+xml', png: 'image/png' };

/** The script and the fonts of replays, and the logos that the operator adds to src/static. */
export const playerFile = operation({
  route: PUBLIC_ROUTES.playerFile,
  scope: 'public',
  handler: async (service, { params: { name }, request }) => {
    if (name === 'replay.js') return sendPage(await scriptOf(service), request);
    const [, font, logo = ''] = /^(?:(?:text|display)-(?:latin|more)\.(woff2)|logo[\w-]*\.(svg|png))$/.exec(name) ?? [];
    const type = TYPES[font ?? logo];
    if (type === undefined) throw notFound();
    const { body } = await service.staticFile(name);
    return new Response(body, { headers: { ...HEADERS, 'Content-Type': type } });
  },
});

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

/** A frame of the sample clip. docs/contributing.md says how it is made. */
export const sampleStill = operation({
  route: PUBLIC_ROUTES.sampleStill,
  scope: 'public',
  handler: async ({ staticFile }) => {
    const { body } = await staticFile('sample-clip.jpg');
    return new Response(body, {
      headers: {
        'Content-Type': 'image/jpeg',
        'Cache-Control': 'public, max-age=86400',
        'X-Content-Type-Options': 'nosniff',
      },
    });
  },
});

export const words = (): Words => ({
  playerFile: {
    tag: 'Viewing',
    summary: 'Load a part of the pages',
    description: 'The script and the fonts of the pages that play replays, and the logos of the operator.',
    answers: {
      200: { description: 'The bytes of the file.', content: { types: ['text/javascript', ...Object.values(TYPES)] } },
    },
    problems: ['not_found'],
  },
  robots: {
    tag: 'Viewing',
    summary: 'Tell crawlers where to look',
    description: 'Crawlers may read pages, and nothing that needs a key.',
    answers: { 200: { description: 'The rules for crawlers (RFC 9309).', content: { types: ['text/plain'] } } },
  },
  sampleStill: {
    tag: 'Viewing',
    summary: 'Show what a clip looks like',
    description: 'A frame of the sample clip, for the front page and the guide.',
    answers: { 200: { description: 'The frame as JPEG.', content: { types: ['image/jpeg'] } } },
  },
});
