import { accepted } from '#http/accepted.ts';
import { json } from '#http/json.ts';
import { limitReached, rateLimited } from '#http/rate-limit.ts';
import { counted, fullnessOf, tooManyReruns } from '../room.ts';
import type { ApiHandler } from './api-handler.ts';

/** `POST /api/jobs/:id/resubmit` (contract 4.3). It counts as a submit and as an unfinished job. */
export const resubmitJob: ApiHandler<'job' | 'limits' | 'settings' | 'now', 'id'> = async (
  { job, limits, settings, now },
  { caller, params, requestId },
) => {
  const submits = limits.submits.of(caller.limits.submits);
  const wait = await submits.take(caller.accountId);
  if (wait > 0) throw rateLimited(submits.policy, wait);
  const { frames = settings.limits.frames } = caller.limits;
  const full = fullnessOf(caller, settings, now());
  const isFull = full?.of === 'runs';
  const result = await counted(
    caller,
    async () => job(params.id).resubmit(caller.accountId, { requestId, isFull, most: frames }),
    (answer) => (answer.ok ? answer.value : null),
  );
  accepted(result, {
    no_room: () => full?.problem ?? limitReached('This account has no room for another job.'),
    too_many_reruns: () => tooManyReruns(settings),
  });
  return json({ job_id: params.id });
};
