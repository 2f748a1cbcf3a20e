import { operation, type Words } from '#service/operation.ts';
import { changeClip } from './change-clip.ts';

/** Contract 4.7. */
export const deleteClip = operation({
  route: 'DELETE /api/clips/:id',
  scope: 'account:manage',
  answers: { 204: null },
  handler: (service, context) => changeClip(service, context, 'delete-clip'),
});

export const words = (): Words => ({
  deleteClip: {
    tag: 'Clips',
    summary: "Delete a clip's files",
    description:
      'Removes the MP4 and the thumbnail for good. The pages of the clip then say that it was deleted. Deleting it again changes nothing. Running its job again brings the clip back under the same id.',
    answers: { 204: { description: 'The clip is deleted.' } },
  },
});
