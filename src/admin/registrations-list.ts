import { json } from '../../http/json.ts';
import { isoTime } from '../../protocol/job-view.ts';
import { MAX_LIMIT } from '../../protocol/lists.ts';
import { selectRegistrations } from '../../storage/host-registrations.ts';
import type { AdminHandler } from './admin-handler.ts';
import { isoTimes } from './views.ts';

/** `GET /admin/host-registrations`. */
export const listRegistrations: AdminHandler<'database'> = async ({ database }) => {
  const rows = await selectRegistrations(database, MAX_LIMIT);
  const registrations = rows.map(({ id, name, uses, used, expiresAt, ...times }) => ({
    registration_id: id,
    name,
    uses,
    used,
    expires_at: isoTime(expiresAt),
    ...isoTimes(times),
  }));
  return json({ registrations });
};
