import { notFound } from '#http/problem.ts';
import { PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { loadedPerService } from '#service/lib/per-service.ts';
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

/** The script and the fonts of replays. */
export const playerFile = operation({
  route: PUBLIC_ROUTES.playerFile,
  scope: 'public',
  handler: async (service, { params: { name }, request }) => {
    if (name === 'replay.js') return sendPage(await scriptOf(service), request);
    if (!/^(text|display)-(latin|more)\.woff2$/.test(name)) throw notFound();
    const { body } = await service.staticFile(name);
    return new Response(body, { headers: { ...HEADERS, 'Content-Type': 'font/woff2' } });
  },
});

export const words = (): Words => ({
  playerFile: {
    tag: 'Viewing',
    summary: 'Load a part of the replay player',
    description: 'The script and the fonts of the pages that play replays.',
    answers: { 200: { description: 'The bytes of the file.', content: { types: ['text/javascript', 'font/woff2'] } } },
    problems: ['not_found'],
  },
});
