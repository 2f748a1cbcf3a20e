import { json } from '#http/json.ts';
import { newSecret } from '#http/new-secret.ts';
import { readShape } from '#http/read-body.ts';
import { NewRegistration } from '#protocol/admin.ts';
import { isoTime } from '#protocol/job-view.ts';
import { insertRegistration } from '#storage/host-registrations.ts';
import type { AdminHandler } from './admin-handler.ts';

const HOUR_MS = 60 * 60_000;

/** `POST /admin/host-registrations`: the only time that the token is shown. */
export const createRegistration: AdminHandler<'database' | 'now'> = async ({ database, now }, { request }) => {
  const { name, uses, expires_in_hours } = await readShape(request, NewRegistration);
  const { id, secret, sha256 } = await newSecret('registration');
  const createdAt = now();
  const expiresAt = createdAt + Math.round(expires_in_hours * HOUR_MS);
  await insertRegistration(database, { id, name, tokenSha256: sha256, uses, expiresAt, createdAt });
  return json({ registration_id: id, name, token: secret, uses, expires_at: isoTime(expiresAt) }, 201);
};
