import { describe, expect, it } from 'vitest';
import { ClipListQuery, formatCursor, JobListQuery, UsageQuery } from '#protocol/lists.ts';

const ID = '5e1ec7ed-0c11-0d1c-0a5e-7ea5e7a11e5d';
const messages = (shape: typeof JobListQuery | typeof ClipListQuery | typeof UsageQuery, query: object) =>
  shape.safeParse(query).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

describe('the query of a list', () => {
  it('has 50 rows unless it says otherwise, at most 200', () => {
    expect(JobListQuery.parse({})).toEqual({ limit: 50 });
    expect(JobListQuery.parse({ limit: '200' }).limit).toBe(200);
    expect(JobListQuery.parse({ limit: '1' }).limit).toBe(1);
    expect(messages(JobListQuery, { limit: '0' })).toEqual(['limit: must be at least 1']);
    expect(messages(JobListQuery, { limit: '201' })).toEqual(['limit: must be at most 200']);
    for (const limit of ['', 'ten', '1.5', '-1', '1234567']) {
      expect(messages(JobListQuery, { limit })).toContain('limit: must be a whole number');
    }
  });

  it('continues where a page ended', () => {
    const row = { createdAt: 1_767_323_045_000, id: ID };
    expect(formatCursor(row)).toBe(`1767323045000_${ID}`);
    expect(JobListQuery.parse({ cursor: formatCursor(row) }).cursor).toEqual(row);
    for (const cursor of ['', 'x', `_${ID}`, `1_${ID}x`, `x1_${ID}`, `1234567890123456_${ID}`]) {
      expect(messages(JobListQuery, { cursor })).toEqual(['cursor: must be the next_cursor of an earlier page']);
    }
  });

  it('has times with their offset, in order', () => {
    const parsed = JobListQuery.parse({
      created_from: '2026-01-31T12:00:00Z',
      created_to: '2026-01-31T14:00:00+02:00',
    });
    expect(parsed).toMatchObject({ created_from: Date.UTC(2026, 0, 31, 12), created_to: Date.UTC(2026, 0, 31, 12) });
    const late = { created_from: '2026-01-31T12:00:01Z', created_to: '2026-01-31T12:00:00Z' };
    expect(messages(JobListQuery, late)).toEqual(['created_from: must not be after created_to']);
    expect(messages(ClipListQuery, late)).toEqual(['created_from: must not be after created_to']);
    expect(messages(UsageQuery, { from: late.created_from, to: late.created_to })).toEqual([
      'from: must not be after to',
    ]);
    expect(messages(JobListQuery, { created_from: 'today' })).toEqual([
      'created_from: must be a time as in 2026-01-31T12:00:00Z',
    ]);
  });

  it('filters by what there is', () => {
    expect(JobListQuery.parse({ status: 'retrying', mode: 'timeline' })).toMatchObject({
      status: 'retrying',
      mode: 'timeline',
    });
    expect(messages(JobListQuery, { status: 'lost', mode: 'both' })).toEqual([
      'status: must be one of pending, prefetch, render, done, retrying, error',
      'mode: must be round or timeline',
    ]);
    expect(ClipListQuery.parse({ saved: 'true', state: 'deleted' })).toMatchObject({ saved: true, state: 'deleted' });
    expect(ClipListQuery.parse({ saved: 'false' }).saved).toBe(false);
    expect(messages(ClipListQuery, { saved: '1', state: 'gone' })).toEqual([
      'state: must be ready or deleted',
      'saved: must be true or false',
    ]);
    expect(messages(JobListQuery, { colour: 'red' })).not.toEqual([]);
  });
});
