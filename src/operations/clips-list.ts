import { clipDetail } from '#protocol/clip-view.ts';
import { CLIP } from '#protocol/examples.ts';
import { ClipList, ClipListQuery } from '#protocol/lists.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { clipOfRow } from '#storage/clip-index.ts';
import { selectClips } from '#storage/lists.ts';
import { pageOf } from './page-of.ts';

/** Reads the index. */
export const listClips = operation({
  route: 'GET /api/clips',
  scope: 'account:read',
  query: ClipListQuery,
  answers: { 200: ClipList },
  handler: async ({ replica, settings }, { caller, query, reply }) => {
    const { created_from, created_to, limit, cursor, state, saved, include } = query();
    const page = { from: created_from, to: created_to, after: cursor, limit };
    const found = await selectClips(replica(), caller.accountId, {
      ...page,
      state,
      isSaved: saved,
    });
    const { rows, next_cursor } = pageOf(found, limit);
    const kept = { ...settings, isTest: caller.keyKind === 'test' };
    return reply(200, {
      clips: rows.map((row) => clipDetail(row.id, row.jobId, clipOfRow(row), include, kept)),
      next_cursor,
    });
  },
});

export const words = (): Words => ({
  listClips: {
    tag: 'Clips',
    summary: 'List clips',
    description:
      'Returns clips, newest first, from an index that is some milliseconds behind. Read a clip by its id for its present state.',
    answers: { 200: answer('A page of clips.', { clips: [CLIP], next_cursor: null }) },
  },
});
