import { clipFileKey } from '#domain/job/storage-keys.ts';
import { accepted } from '#http/accepted.ts';
import { InspectedRequest, MAX_INSPECTION_BYTES } from '#protocol/demo/demos.ts';
import { FOUND_DEMO } from '#protocol/examples/client.ts';
import { only, operation, type Words } from '#service/lib/operation.ts';
import { requireLease } from './lease.ts';
import { requireStored } from './stored-file.ts';

export const jobInspected = operation({
  route: 'POST /gateway/v1/jobs/:id/inspected',
  scope: 'host',
  body: InspectedRequest,
  bodyLimit: MAX_INSPECTION_BYTES,
  answers: { 204: null },
  handler: async (service, { caller: { id: hostId }, params, requestId, body, reply }) => {
    const { fence, demo, tracks: sent } = await body();
    const { clipId, isDone } = await requireLease(service, params.id, { hostId, fence });
    // A host that did not get the answer reports again.
    if (isDone) return reply(204, null);
    const tracks = sent && { key: clipFileKey(clipId, fence, 'tracks'), ...sent };
    if (tracks) await requireStored(service.files, 'tracks', tracks);
    accepted(await service.job(params.id).inspected({ hostId, fence, found: demo, tracks, requestId }));
    return reply(204, null);
  },
});

export const words = (): Words => ({
  jobInspected: {
    summary: 'Report what is in a demo',
    description:
      'Ends a job whose `selection.mode` is `inspect`. Repeating it under the same fence changes nothing. At most 1 MiB.',
    body: { examples: only({ fence: 1, demo: FOUND_DEMO }) },
    answers: { 204: { description: 'The report is stored.' } },
    problems: ['stale_lease', 'upload_incomplete'],
  },
});
