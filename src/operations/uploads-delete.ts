import { noContent } from '#http/json.ts';
import { forgetUploads, requireUpload } from '../uploads.ts';
import type { ApiHandler } from './api-handler.ts';

/** `DELETE /api/uploads/:id`. The demo is gone at once: jobs that have yet to fetch it fail with `demo_404`. */
export const deleteUpload: ApiHandler<'databases' | 'demos' | 'demoParts' | 'now', 'id'> = async (
  service,
  { caller, params },
) => {
  const upload = await requireUpload(service, caller, params.id);
  await forgetUploads(service, service.databases.of(caller.database), [upload]);
  return noContent();
};
