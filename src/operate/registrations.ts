import { newSecret } from '#http/credentials.ts';
import { notFound } from '#http/problem.ts';
import { ENDS, MADE, REGISTRATION } from '#protocol/examples/operator.ts';
import { NewRegistration, RegistrationList, RegistrationOnce } from '#protocol/host/hosts.ts';
import { AdminListQuery, pageOf } from '#protocol/lib/lists.ts';
import { isoTime } from '#protocol/lib/shapes.ts';
import { isoTimes } from '#service/account/account-view.ts';
import { answer, only, operation, type Words } from '#service/lib/operation.ts';
import {
  insertRegistration,
  revokeRegistration as revoke,
  selectRegistrations,
} from '#storage/host/host-registrations.ts';

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

const HOUR_MS = 60 * 60_000;

export const createRegistration = operation({
  route: 'POST /admin/host-registrations',
  scope: 'operator:admin',
  body: NewRegistration,
  answers: { 201: RegistrationOnce },
  handler: async ({ database, now }, { body, reply }) => {
    const { name, uses, expires_in_hours } = await body();
    const { id, secret, sha256 } = await newSecret('registration');
    const createdAt = now();
    const expiresAt = createdAt + Math.round(expires_in_hours * HOUR_MS);
    await insertRegistration(database, { id, name, tokenSha256: sha256, uses, expiresAt, createdAt });
    return reply(201, { registration_id: id, name, token: secret, uses, expires_at: isoTime(expiresAt) });
  },
});

export const revokeRegistration = operation({
  route: 'DELETE /admin/host-registrations/:id',
  scope: 'operator:admin',
  answers: { 204: null },
  handler: async ({ database, now }, { params, reply }) => {
    if (!(await revoke(database, params.id, now()))) throw notFound();
    return reply(204, null);
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
  createRegistration: {
    summary: 'Create a registration of render hosts',
    command: 'registrations create <name>',
    description: 'Creates one token with which many machines become hosts, each with a token of its own.',
    body: { examples: only({ name: 'rack 4', uses: 50, expires_in_hours: 24 }) },
    answers: {
      201: answer('The token, which is shown only once.', {
        ...REGISTRATION,
        token: 'tr_reg_…',
        expires_at: ENDS,
      }),
    },
  },
  revokeRegistration: {
    summary: 'Revoke a registration of render hosts',
    command: 'registrations revoke <registration>',
    description: 'Revokes the token: no machine can register with it. Its hosts stay.',
    answers: { 204: { description: 'The token is revoked.' } },
  },
});
