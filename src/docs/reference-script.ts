import { PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { operation, type Words } from '#service/lib/operation.ts';

/** Of the file in src/static; the text beside it says how it was fetched. */
export const SCALAR_VERSION = '1.46.4';

/** Sent compressed to all: browsers alone load it. */
export const referenceScript = operation({
  route: PUBLIC_ROUTES.referenceScript,
  scope: 'public',
  handler: async ({ staticFile }) => {
    const { body } = await staticFile(`scalar-${SCALAR_VERSION}.js.gz`);
    return new Response(body, {
      headers: {
        'Content-Type': 'text/javascript; charset=utf-8',
        'Content-Encoding': 'gzip',
        'Cache-Control': 'public, max-age=86400',
        'X-Content-Type-Options': 'nosniff',
      },
      encodeBody: 'manual',
    });
  },
});

export const words = (): Words => ({
  referenceScript: {
    tag: 'Reference',
    summary: 'Load the script of the reference',
    description: 'The script of Scalar that draws the reference.',
    answers: { 200: { description: 'The script of the reference.', content: { types: ['text/javascript'] } } },
  },
});
