import { accepted } from '#http/accepted.ts';
import { TakeDown } from '#protocol/recovery.ts';
import { only, operation, type Words } from '#service/operation.ts';
import { forgetRecord } from '#storage/record-cache.ts';
import { askOwner } from '../clip-owner.ts';
import { noteTarget } from './audit.ts';

/** The job decides. Repeatable: a clip that was taken down keeps its first reason. */
export const removeClip = operation({
  route: 'DELETE /admin/clips/:id',
  scope: 'operator:operate',
  body: TakeDown,
  answers: { 204: null },
  handler: async (service, { params, body, request, requestId, reply }) => {
    const { reason } = await body();
    const clipId = params.id;
    const owned = await askOwner(service, clipId, (owner) => owner.takeDown({ clipId, reason, requestId }));
    // The erasure of an account finds the entry by this id, and deletes the reason.
    noteTarget(request, { account_id: accepted(owned) });
    await forgetRecord(service, clipId);
    return reply(204, null);
  },
});

export const words = (): Words => ({
  removeClip: {
    summary: 'Take a clip down',
    command: 'clips remove <clip>',
    description:
      'Deletes the clip of any account for good, also of a suspended one: its pages and files answer 410, its files and their copies in caches are deleted before all others. An unfinished run of its job ends, and later ones fail at once, with `clip_removed`. The owner reads the reason with the clip (`include=removal`).',
    body: { examples: only({ reason: 'Shows the address of a player.' }) },
    answers: { 204: { description: 'The clip is taken down.' } },
  },
});
