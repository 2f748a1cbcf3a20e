import * as z from 'zod';

/** The values of the last row of a page, in the columns of its order. */
export type RowKey = readonly (string | number)[];

export const NOT_A_CURSOR = 'must be the next_cursor of an earlier page';

/** A cursor with the key of a row. Opaque to operators. */
export const KeyCursor = z
  .string()
  .regex(/^[\w:-]*$/, NOT_A_CURSOR)
  .transform((text): RowKey => text.split(':').map((value) => (/^\d+$/.test(value) ? Number(value) : value)))
  .meta({ description: 'The `next_cursor` of the previous page.' });

export const formatKey = (key: RowKey): string => key.join(':');
