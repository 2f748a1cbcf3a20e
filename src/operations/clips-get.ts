import { accepted } from '#http/accepted.ts';
import { json } from '#http/json.ts';
import { ClipDetail, ClipQuery } from '#protocol/clip-view.ts';
import { CLIP, CLIP_DETAIL } from '#protocol/examples.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { askOwner } from '../clip-owner.ts';

/** Reads the clip from the job that owns it (contract 4.5). */
export const getClip = operation({
  route: 'GET /api/clips/:id',
  scope: 'account:read',
  query: ClipQuery,
  handler: async (service, { caller, params, query }) => {
    const { include } = query();
    const { accountId } = caller;
    return json(accepted(await askOwner(service, params.id, (owner) => owner.readClip(accountId, params.id, include))));
  },
});

export const words = (): OperationWords => ({
  tag: 'Clips',
  summary: 'Read a clip',
  description: 'A deleted clip has the `state` `deleted`. `include` adds its addresses and when it expires.',
  answers: {
    200: {
      description: 'The clip with the included fields.',
      content: {
        schema: ClipDetail,
        examples: {
          ready: { summary: 'Ready to be watched', value: CLIP },
          more: { summary: 'With `include=urls,expiry`', value: CLIP_DETAIL },
          deleted: { summary: 'Its files are gone', value: { ...CLIP, state: 'deleted' } },
        },
      },
    },
  },
});
