import { json } from '#http/json.ts';
import { AdminListQuery, HostList } from '#protocol/admin.ts';
import { HOST } from '#protocol/operator-examples.ts';
import { answer, type OperationWords, operation } from '#service/operation.ts';
import { selectHosts } from '#storage/hosts.ts';
import { pageOf } from '../operations/page-of.ts';
import { hostViews } from './host-views.ts';

export const listHosts = operation({
  route: 'GET /admin/hosts',
  scope: 'operator:read',
  query: AdminListQuery,
  handler: async (service, { query }) => {
    const { limit, cursor } = query();
    const { rows, next_cursor } = pageOf(await selectHosts(service.database, cursor, limit), limit);
    return json({ hosts: await hostViews(service, rows), next_cursor });
  },
});

export const words = (): OperationWords => ({
  summary: 'List render hosts',
  description: 'Returns hosts, oldest first, with their present work.',
  answers: {
    200: answer('A page of hosts.', HostList, { hosts: [HOST], next_cursor: null }),
  },
});
