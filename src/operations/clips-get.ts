import { accepted } from '#http/accepted.ts';
import { json } from '#http/json.ts';
import { parseQuery } from '#http/read-body.ts';
import { ClipQuery } from '#protocol/clip-view.ts';
import { askOwner } from '../clip-owner.ts';
import type { ApiHandler } from './api-handler.ts';

/** `GET /api/clips/:id` (contract 4.5), answered by the job that owns the clip. */
export const getClip: ApiHandler<'job' | 'clipIds', 'id'> = async (service, { caller, params, url }) => {
  const { include } = parseQuery(url.searchParams, ClipQuery);
  const { accountId } = caller;
  return json(accepted(await askOwner(service, params.id, (owner) => owner.readClip(accountId, params.id, include))));
};
