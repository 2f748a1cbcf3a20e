import { newSecret } from '#http/new-secret.ts';
import { NewRegistration, RegistrationOnce } from '#protocol/admin.ts';
import { isoTime } from '#protocol/job-view.ts';
import { ENDS, REGISTRATION } from '#protocol/operator-examples.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { insertRegistration } from '#storage/host-registrations.ts';

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

export const words = (): Words => ({
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
});
