import { operation, type Words } from '#service/operation.ts';
import { changeClip } from './change-clip.ts';

/** Contract 4.6. */
export const unsaveClip = operation({
  route: 'POST /api/clips/:id/unsave',
  scope: 'account:manage',
  repeatable: 'always',
  answers: { 204: null },
  handler: (service, context) => changeClip(service, context, 'unsave'),
});

export const words = (): Words => ({
  unsaveClip: {
    tag: 'Clips',
    summary: 'Let a clip expire',
    description: 'The clip expires again, counted from when it was rendered.',
    answers: { 204: { description: 'The clip is not saved.' } },
  },
});
