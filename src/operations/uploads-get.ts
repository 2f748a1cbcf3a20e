import { json } from '#http/json.ts';
import { requireUpload } from '../uploads.ts';
import type { ApiHandler } from './api-handler.ts';
import { uploadView } from './upload-view.ts';

/** `GET /api/uploads/:id`. The address is also the upload's `demo_url`; the demo itself is given to hosts alone. */
export const getUpload: ApiHandler<'databases' | 'demoParts' | 'settings' | 'now', 'id'> = async (
  service,
  { caller, params },
) => {
  return json(await uploadView(service, await requireUpload(service, caller, params.id)));
};
