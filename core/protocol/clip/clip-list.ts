import * as z from 'zod';
import { isWindow, NO_WINDOW, next_cursor, page, yesOrNo } from '#protocol/lib/lists.ts';
import { ClipDetail, clipInclude } from './clip-view.ts';

export const ClipListQuery = z
  .strictObject({
    ...page,
    state: z
      .enum(['ready', 'deleted'], 'must be ready or deleted')
      .optional()
      .meta({ description: 'Return only clips in this state.' }),
    include: clipInclude,
    saved: yesOrNo
      .optional()
      .meta({ description: 'Return only clips that are kept for good (`true`), or only others (`false`).' }),
  })
  .refine(isWindow, NO_WINDOW);

export type ClipListQuery = z.output<typeof ClipListQuery>;

export const ClipList = z
  .object({ clips: z.array(ClipDetail), next_cursor })
  .meta({ id: 'ClipList', description: 'A page of clips, newest first.' });
