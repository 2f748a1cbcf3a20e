import { describe, expect, it } from 'vitest';
import { type ClipList, entryOf, type ListedClip, withEntry } from '#domain/more-clips.ts';
import type { PublicRecord } from '#domain/public-record.ts';

const file = (key: string) => ({ key, bytes: 1, sha256: 'a' });
const ready = (version: number, createdAt = 0, lists = ['a-match']): PublicRecord => ({
  ...{ version, state: 'ready' },
  clip: {
    ...{ title: 't', resolution: 1080, fps: 30, durationSeconds: 5, createdAt, renderedAt: createdAt, lists },
    ...{ video: file('video'), thumbnail: file('thumbnail') },
  },
});
const entry = (id: string, record: PublicRecord) => entryOf(id, record, 'a-match');
const listOf = (...entries: ListedClip[]) => entries.reduce<ClipList>((list, one) => withEntry(list, one) ?? list, []);
const shown = (list: ClipList) => list.filter((one) => one.shown).map(({ id }) => id);

describe('a list of clips', () => {
  it('has the newest first, each as it is now', () => {
    const list = listOf(entry('a', ready(3, 10)), entry('b', ready(3, 30)), entry('c', ready(3, 20)));
    expect(shown(list)).toEqual(['b', 'c', 'a']);
    expect(list[0]).toEqual({
      ...{ id: 'b', version: 3 },
      shown: { title: 't', durationSeconds: 5, thumbnail: 'thumbnail', createdAt: 30 },
    });
  });

  it('drops a deleted or unlisted clip, whatever update arrives late', () => {
    for (const gone of [{ version: 5, state: 'deleted' } as const, ready(5, 10, ['another-match'])]) {
      const list = listOf(entry('a', ready(4, 10)), entry('a', gone));
      expect(shown(list)).toEqual([]);
      expect(withEntry(list, entry('a', ready(4, 10)))).toBeNull();
      expect(withEntry(list, entry('a', gone))).toBeNull();
      expect(shown(listOf(...list, entry('a', ready(6, 10))))).toEqual(['a']);
    }
  });

  it('is not written for a clip that it never had', () => {
    expect(withEntry([], entry('a', { version: 5, state: 'deleted' }))).toBeNull();
  });

  it('stays small, and is not written for what would not be kept', () => {
    const many = listOf(...Array.from({ length: 100 }, (_, i) => entry(`c${i}`, ready(1, i))));
    expect(shown(many)).toEqual(Array.from({ length: 24 }, (_, i) => `c${99 - i}`));
    expect(withEntry(many, entry('old', ready(1, 0)))).toBeNull();
    const emptied = many.reduce<ClipList>(
      (list, { id }) => withEntry(list, entry(id, { version: 2, state: 'deleted' })) ?? list,
      listOf(...many, entry('kept', ready(1, 500))),
    );
    expect(shown(emptied)).toEqual(['kept']);
    expect(emptied.length).toBeLessThanOrEqual(25);
  });
});
