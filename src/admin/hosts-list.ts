import { AdminListQuery, HostList } from '#protocol/admin.ts';
import { HOST } from '#protocol/operator-examples.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { selectHosts } from '#storage/hosts.ts';
import { pageOf } from '../operations/page-of.ts';
import { hostViews } from './host-views.ts';

export const listHosts = operation({
  route: 'GET /admin/hosts',
  scope: 'operator:read',
  query: AdminListQuery,
  answers: { 200: HostList },
  handler: async (service, { query, reply }) => {
    const { limit, cursor } = query();
    const { rows, next_cursor } = pageOf(await selectHosts(service.database, cursor, limit), limit);
    return reply(200, { hosts: await hostViews(service, rows), next_cursor });
  },
});

export const words = (): Words => ({
  listHosts: {
    summary: 'List render hosts',
    description: 'Returns hosts, oldest first, with their present work.',
    answers: { 200: answer('A page of hosts.', { hosts: [HOST], next_cursor: null }) },
  },
});
