import { accepted } from '../../http/accepted.ts';
import { json } from '../../http/json.ts';
import { askOwner } from '../clip-owner.ts';
import type { ApiHandler } from './api-handler.ts';

/** `GET /api/clips/:id` (contract 4.5), answered by the job that owns the clip. */
export const getClip: ApiHandler<'job' | 'clipIds', 'id'> = async (service, { caller, params }) => {
  return json(accepted(await askOwner(service, params.id, (owner) => owner.readClip(caller.accountId, params.id))));
};
