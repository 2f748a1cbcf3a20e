import { counterpartId } from '../../domain/ids.ts';
import { accepted } from '../../http/accepted.ts';
import { json } from '../../http/json.ts';
import type { ApiHandler } from './api-handler.ts';

/** `GET /api/clips/:id` (contract 4.5), answered by the job that owns the clip. */
export const getClip: ApiHandler<'job', 'id'> = async ({ job }, { caller, params }) => {
  return json(accepted(await job(counterpartId(params.id)).readClip(caller.accountId)));
};
