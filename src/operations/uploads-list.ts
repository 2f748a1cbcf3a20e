import { json } from '#http/json.ts';
import { parseQuery } from '#http/read-body.ts';
import { UploadListQuery } from '#protocol/uploads.ts';
import { selectUploads } from '#storage/lists.ts';
import type { ApiHandler } from './api-handler.ts';
import { pageOf } from './page-of.ts';
import { uploadSummary } from './upload-view.ts';

/** `GET /api/uploads`: newest first. */
export const listUploads: ApiHandler<'databases' | 'settings'> = async ({ databases, settings }, { caller, url }) => {
  const { created_from, created_to, limit, cursor } = parseQuery(url.searchParams, UploadListQuery);
  const page = { from: created_from, to: created_to, after: cursor, limit };
  const { rows, next_cursor } = pageOf(
    await selectUploads(databases.of(caller.database), caller.accountId, page),
    limit,
  );
  return json({ uploads: rows.map((row) => uploadSummary(row, settings)), next_cursor });
};
