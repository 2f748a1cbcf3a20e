import { accepted } from '#http/accepted.ts';
import { json } from '#http/json.ts';
import { invalidRequest } from '#http/problem.ts';
import { readShape } from '#http/read-body.ts';
import { RecoverRequest } from '#protocol/recovery.ts';
import type { AdminHandler } from './admin-handler.ts';
import { findRowOf } from './all-databases.ts';

/** The platform keeps earlier states for so long. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

/**
 * `POST /admin/jobs/:id/recover`: takes a job's object back to a time, or to a bookmark. Where it is cut short after
 * the first call, asking for the bookmark that was meant, or again for the time, goes on.
 */
export const recoverJob: AdminHandler<'databases' | 'job' | 'now', 'id'> = async (service, { request, params }) => {
  const { at, bookmark } = await readShape(request, RecoverRequest);
  const ago = at === undefined ? 0 : service.now() - Date.parse(at);
  if (ago < 0 || ago > KEPT_MS) throw invalidRequest([{ path: 'at', message: 'must lie within the last 30 days' }]);
  const row = await findRowOf(service, params.id);
  const target = bookmark ?? Date.parse(at ?? '');
  const before = accepted(await service.job(params.id).recover(target));
  // It rejects, because the object goes away under the call.
  await service
    .job(params.id)
    .restart()
    .catch(() => {});
  const version = Math.max(before.version, row?.version ?? 0);
  const status = await service.job(params.id).recovered({ version, fence: before.fence });
  return json({ job_id: params.id, status, undo_bookmark: before.undo });
};
