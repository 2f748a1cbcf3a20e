import { notFound } from '#http/problem.ts';
import { findKeyTerms } from '#storage/accounts.ts';
import type { AdminHandler } from './admin-handler.ts';
import { issueKey } from './issue-key.ts';

/**
 * `POST /admin/accounts/:id/keys/:key/rotate`: makes a successor on the same terms, which ends when the old key does.
 * The old key stays good until then, or until it is revoked.
 */
export const rotateKey: AdminHandler<'database' | 'now', 'id' | 'key'> = async (service, { params }) => {
  const terms = await findKeyTerms(service.database, params.id, params.key, service.now());
  if (terms === null) throw notFound();
  return issueKey(service, params.id, terms);
};
