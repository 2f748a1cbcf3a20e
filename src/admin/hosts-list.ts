import { json } from '#http/json.ts';
import { parseQuery } from '#http/read-body.ts';
import { AdminListQuery } from '#protocol/admin.ts';
import { selectHosts } from '#storage/hosts.ts';
import { pageOf } from '../operations/page-of.ts';
import type { AdminHandler } from './admin-handler.ts';
import { type HostViewWorld, hostViews } from './host-views.ts';

/** `GET /admin/hosts`. */
export const listHosts: AdminHandler<HostViewWorld> = async (service, { url }) => {
  const { limit, cursor } = parseQuery(url.searchParams, AdminListQuery);
  const { rows, next_cursor } = pageOf(await selectHosts(service.database, cursor, limit), limit);
  return json({ hosts: await hostViews(service, rows), next_cursor });
};
