import { accepted } from '#http/accepted.ts';
import { ClipDetail, ClipQuery } from '#protocol/clip-view.ts';
import { CLIP, CLIP_DETAIL } from '#protocol/examples.ts';
import { operation, type Words } from '#service/operation.ts';
import { askOwner } from '../clip-owner.ts';

/** Reads the clip from the job that owns it (contract 4.5). */
export const getClip = operation({
  route: 'GET /api/clips/:id',
  scope: 'account:read',
  query: ClipQuery,
  answers: { 200: ClipDetail },
  handler: async (service, { caller, params, query, reply }) => {
    const { include } = query();
    const { accountId } = caller;
    return reply(
      200,
      accepted(await askOwner(service, params.id, (owner) => owner.readClip(accountId, params.id, include))),
    );
  },
});

export const words = (): Words => ({
  getClip: {
    tag: 'Clips',
    summary: 'Read a clip',
    description: 'A deleted clip has the `state` `deleted`. `include` adds its addresses and when it expires.',
    answers: {
      200: {
        description: 'The clip with the included fields.',
        examples: {
          ready: { summary: 'Ready to be watched', value: CLIP },
          more: { summary: 'With `include=urls,expiry`', value: CLIP_DETAIL },
          deleted: { summary: 'Its files are gone', value: { ...CLIP, state: 'deleted' } },
        },
      },
    },
  },
});
