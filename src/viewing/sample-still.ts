import { PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { operation, type Words } from '#service/lib/operation.ts';

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
  sampleStill: {
    tag: 'Viewing',
    summary: 'Show what a clip looks like',
    description: 'A frame of the sample clip, for the front page and the guide.',
    answers: { 200: { description: 'The frame as JPEG.', content: { types: ['image/jpeg'] } } },
  },
});
