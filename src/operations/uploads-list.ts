import { UPLOAD_SUMMARY } from '#protocol/examples.ts';
import { UploadList, UploadListQuery } from '#protocol/uploads.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { selectUploads } from '#storage/lists.ts';
import { pageOf } from './page-of.ts';
import { uploadSummary } from './upload-view.ts';

export const listUploads = operation({
  route: 'GET /api/uploads',
  scope: 'account:read',
  query: UploadListQuery,
  answers: { 200: UploadList },
  handler: async ({ database, settings }, { caller, query, reply }) => {
    const { created_from, created_to, limit, cursor } = query();
    const page = { from: created_from, to: created_to, after: cursor, limit };
    const { rows, next_cursor } = pageOf(await selectUploads(database, caller.accountId, page), limit);
    return reply(200, { uploads: rows.map((row) => uploadSummary(row, settings)), next_cursor });
  },
});

export const words = (): Words => ({
  listUploads: {
    tag: 'Demos',
    summary: 'List uploads',
    description: 'Returns uploads, newest first.',
    answers: { 200: answer('A page of uploads.', { uploads: [UPLOAD_SUMMARY], next_cursor: null }) },
  },
});
