import { AdminListQuery, RegistrationList } from '#protocol/admin.ts';
import { isoTime } from '#protocol/job-view.ts';
import { ENDS, MADE, REGISTRATION } from '#protocol/operator-examples.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { selectRegistrations } from '#storage/host-registrations.ts';
import { pageOf } from '../operations/page-of.ts';
import { isoTimes } from './views.ts';

export const listRegistrations = operation({
  route: 'GET /admin/host-registrations',
  scope: 'operator:read',
  query: AdminListQuery,
  answers: { 200: RegistrationList },
  handler: async ({ database }, { query, reply }) => {
    const { limit, cursor } = query();
    const { rows, next_cursor } = pageOf(await selectRegistrations(database, cursor, limit), limit);
    const registrations = rows.map(({ id, name, uses, used, expiresAt, ...times }) => ({
      registration_id: id,
      name,
      uses,
      used,
      expires_at: isoTime(expiresAt),
      ...isoTimes(times),
    }));
    return reply(200, { registrations, next_cursor });
  },
});

export const words = (): Words => ({
  listRegistrations: {
    summary: 'List registrations of render hosts',
    command: 'registrations list',
    description: 'Returns registrations, newest first.',
    answers: {
      200: answer('A page of registrations.', {
        registrations: [{ ...REGISTRATION, used: 12, expires_at: ENDS, created_at: MADE, revoked_at: null }],
        next_cursor: null,
      }),
    },
  },
});
