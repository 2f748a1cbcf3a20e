import { operation, type Words } from '#service/operation.ts';
import { changeClip } from './change-clip.ts';

/** Contract 4.6. */
export const saveClip = operation({
  route: 'POST /api/clips/:id/save',
  scope: 'account:manage',
  repeatable: 'always',
  answers: { 204: null },
  handler: (service, context) => changeClip(service, context, 'save'),
});

export const words = (): Words => ({
  saveClip: {
    tag: 'Clips',
    summary: 'Keep a clip for good',
    description: 'A saved clip does not expire. Saving it again changes nothing.',
    answers: { 204: { description: 'The clip is saved.' } },
  },
});
