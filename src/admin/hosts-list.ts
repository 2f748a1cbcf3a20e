import { json } from '../../http/json.ts';
import { selectHosts } from '../../storage/hosts.ts';
import type { AdminHandler } from './admin-handler.ts';
import { readPush } from './push-registration.ts';
import { isoTimes } from './views.ts';

/** `GET /admin/hosts`. */
export const listHosts: AdminHandler<'database'> = async ({ database }) => {
  const hosts = await selectHosts(database);
  return json({
    hosts: hosts.map(({ id, name, push, ...times }) => ({
      host_id: id,
      name,
      ...isoTimes(times),
      push: readPush(push),
    })),
  });
};
