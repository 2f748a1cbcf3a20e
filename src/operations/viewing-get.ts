import { json } from '#http/json.ts';
import { viewingView } from '#protocol/viewing.ts';
import { findViewing } from '#storage/accounts.ts';
import type { ApiHandler } from './api-handler.ts';

/** `GET /api/viewing`: how the account has its clips shown. */
export const getViewing: ApiHandler<'database'> = async ({ database }, { caller }) =>
  json(viewingView(await findViewing(database, caller.accountId)));
