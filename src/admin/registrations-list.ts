import { json } from '#http/json.ts';
import { parseQuery } from '#http/read-body.ts';
import { AdminListQuery } from '#protocol/admin.ts';
import { isoTime } from '#protocol/job-view.ts';
import { selectRegistrations } from '#storage/host-registrations.ts';
import { pageOf } from '../operations/page-of.ts';
import type { AdminHandler } from './admin-handler.ts';
import { isoTimes } from './views.ts';

/** `GET /admin/host-registrations`. */
export const listRegistrations: AdminHandler<'database'> = async ({ database }, { url }) => {
  const { limit, cursor } = parseQuery(url.searchParams, AdminListQuery);
  const { rows, next_cursor } = pageOf(await selectRegistrations(database, cursor, limit), limit);
  const registrations = rows.map(({ id, name, uses, used, expiresAt, ...times }) => ({
    registration_id: id,
    name,
    uses,
    used,
    expires_at: isoTime(expiresAt),
    ...isoTimes(times),
  }));
  return json({ registrations, next_cursor });
};
