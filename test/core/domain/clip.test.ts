import { describe, expect, it } from 'vitest';
import { USUAL_VIEWING } from '#domain/account/account.ts';
import { playerList } from '#domain/clip/clip-title.ts';
import type { JobEvent } from '#domain/job/event.ts';
import type { Job } from '#domain/job/job.ts';
import { transition } from '#domain/job/machine.ts';
import { mayHaveTracks } from '#domain/job/old-tracks.ts';
import { PURGE_REASONS } from '#domain/job/outbox.ts';
import {
  type ClipList,
  entryOf,
  type ListedClip,
  type PublicRecord,
  recordOf,
  withEntry,
} from '#domain/job/public-record.ts';
import {
  assetKey,
  attemptPrefix,
  CLIP_FILE_TYPES,
  clipFileKey,
  cutTracksKey,
  filesOfAttempt,
  folderOf,
  ownsFile,
} from '#domain/job/storage-keys.ts';
import { admission, at, CLAIM, CLIP_ID, completed, failedWith, jobs, newJob, step, steps, T0 } from './builders.ts';

describe('transitions of a clip (contract 3.2)', () => {
  const FILES = { type: 'delete-files', prefix: expect.stringMatching(/\/1\/$/) };

  it('is kept while a re-run is under way or has failed, and overwritten when it succeeds', () => {
    const rerun = steps(jobs.done(), { type: 'save' }, { type: 'resubmit', acceptable: true }, CLAIM);
    expect(rerun).toMatchObject({ clip: { state: 'ready', isSaved: true }, renderedBy: 'host' });
    expect(steps(rerun, failedWith(2, 'render_failed')).clip).toEqual(rerun.clip);
    const again = step(rerun, completed(2), T0 + 1000);
    expect(again.job.clip).toMatchObject({ isSaved: true, createdAt: T0, renderedAt: T0 + 1000 });
    expect(again.effects).toContainEqual({ ...FILES, purge: 'overwrite' });
  });

  it('deleting removes the files once; deleting again changes nothing', () => {
    const first = step(jobs.done(), { type: 'delete-clip' });
    expect(first.job.clip?.state).toBe('deleted');
    expect(first.effects).toContainEqual({ ...FILES, purge: 'deletion', since: T0 });
    expect(step(first.job, { type: 'delete-clip' })).toEqual({ ok: true, job: first.job, effects: [] });
  });

  it('is deleted by its owner also where it was to be kept, and kept without a change of its files', () => {
    const { job, effects } = step(jobs.done(), { type: 'save' });
    expect(effects).toEqual([{ type: 'project' }]);
    expect(step(job, { type: 'delete-clip' }).job.clip?.state).toBe('deleted');
  });

  it.each(['save', 'unsave', 'delete-clip'] as const)('%s of a job without a clip is rejected', (type) => {
    expect(transition(jobs.pending(), { type }, at(T0))).toEqual({ ok: false, refusal: 'no_clip' });
  });

  it('expires only when it is unsaved and old enough', () => {
    const expire = (renderedBefore: number): JobEvent => ({ type: 'expire-clip', renderedBefore });
    const done = jobs.done();
    const notDue = { ok: false, refusal: 'not_due' };
    expect(transition(done, expire(T0), at(T0))).toEqual(notDue);
    expect(transition(steps(done, { type: 'save' }), expire(T0 + 1), at(T0))).toEqual(notDue);
    const { job, effects } = step(done, expire(T0 + 1));
    expect(job.clip?.state).toBe('deleted');
    // Without a purge.
    expect(effects).toContainEqual(FILES);
  });
});

describe('a take-down', () => {
  const DOWN: JobEvent = { type: 'take-down', reason: 'because' };
  const ALL_FILES = { type: 'delete-files', prefix: `clips/${CLIP_ID}/`, purge: 'take-down', since: T0 + 5 };
  const removal = { at: T0 + 5, reason: 'because' };
  const down = () => step(jobs.done(), DOWN, T0 + 5).job;
  const RERUNS: [string, JobEvent][] = [
    ['a resubmit', { type: 'resubmit', acceptable: true }],
    ['a redo', { type: 'redo', admission: admission() }],
  ];

  it('deletes all files of the clip, and their copies before all others', () => {
    const { job, effects } = step(jobs.done(), DOWN, T0 + 5);
    expect(job).toMatchObject({
      status: 'done',
      version: jobs.done().version + 1,
      clip: { state: 'deleted', removal },
    });
    expect(effects).toEqual([{ type: 'project', isPublic: true }, ALL_FILES]);
    expect(recordOf(job)).toEqual({ version: job.version, state: 'removed' });
    expect(PURGE_REASONS[0]).toBe('take-down');
  });

  it.each(RERUNS)('%s ends at once', (_name, rerun) => {
    const { job, effects } = step(down(), rerun, T0 + 9);
    const ended = { status: 'error', errorCode: 'clip_removed', errorDetail: 'because', finishedAt: T0 + 9, run: 2 };
    expect(job).toMatchObject({ ...ended, clip: down().clip });
    expect(effects.map(({ type }) => type)).toEqual(['cancel-webhooks', 'project', 'announce']);
  });

  it('ends a run that is under way, and refuses its host', () => {
    const rerun = steps(jobs.done(), { type: 'resubmit', acceptable: true }, CLAIM);
    const { job, effects } = step(rerun, DOWN, T0 + 5);
    expect(job).toMatchObject({
      status: 'error',
      errorCode: 'clip_removed',
      errorDetail: 'because',
      clip: { removal },
    });
    expect(effects.filter(({ type }) => type === 'project')).toEqual([{ type: 'project', isPublic: true }]);
    const types = ['project', 'announce', 'settle', 'delete-files', 'delete-files'];
    expect(effects.map(({ type }) => type)).toEqual(types);
    expect(effects.at(-1)).toEqual(ALL_FILES);
    expect(transition(job, completed(2), at(T0 + 6))).toEqual({ ok: false, refusal: 'stale_lease' });
  });

  it('of a job without a clip is refused: nobody knows its id', () => {
    expect(transition(jobs.render(), DOWN, at(T0))).toEqual({ ok: false, refusal: 'no_clip' });
  });
});

describe('the public record of a clip', () => {
  const RESUBMIT: JobEvent = { type: 'resubmit', acceptable: true };

  it('is that it is there, that it is gone, and what a player needs; nothing of its owner', () => {
    for (const job of [jobs.render(), jobs.retrying(), jobs.error()]) expect(recordOf(job).state).toBe('unknown');
    const { clip, ...rest } = jobs.done();
    const done = { ...rest, clip: clip && { ...clip, renderer: 'cs2' as const } };
    const { state: _, isSaved: _isSaved, tier: _tier, ...shown } = done.clip ?? {};
    expect(recordOf(done)).toEqual({ version: done.version, state: 'ready', clip: shown });
    const { job } = step(done, { type: 'delete-clip' });
    expect(recordOf(job)).toEqual({ version: job.version, state: 'deleted' });
    expect(recordOf(steps(job, RESUBMIT, CLAIM)).state).toBe('deleted');
    expect(recordOf(steps(done, RESUBMIT, CLAIM)).state).toBe('ready');
  });

  it('is also what its account shows beside it', () => {
    const brand = { name: '' };
    const viewing = {
      brand,
      embedSites: ['example.com'],
      showsViews: true,
      showsMore: true,
      hidesNames: false,
      isHidden: false,
    };
    const shown = { embedSites: ['example.com'], showsViews: true, lists: ['one'] };
    expect(recordOf(jobs.done(), viewing, ['one'])).toMatchObject({ brand, clip: shown });
    expect(recordOf(jobs.done(), viewing)).toMatchObject({ clip: { ...shown, lists: [] } });
    // A list of a match or a player says who is in a clip that hides it.
    const { clip, ...done } = jobs.done();
    const facts = { kills: 1, players: [], map: '', round: null, names: 'hidden' as const };
    expect(recordOf({ ...done, clip: clip && { ...clip, facts } }, viewing, ['one'])).not.toHaveProperty('clip.lists');
    const hidden = { ...viewing, isHidden: true };
    expect(recordOf(jobs.done(), hidden)).toEqual({ version: jobs.done().version, brand, state: 'removed' });
    expect(recordOf(jobs.render(), hidden).state).toBe('unknown');
  });
});

describe('a clip’s title', () => {
  it.each([
    ['A', ['A']],
    ['A and B', ['A', 'B']],
    ['A, B and C', ['A', 'B', 'C']],
    ['A, B and 2 others', ['A', 'B', 'C', 'D']],
  ])('lists %j', (text, names) => {
    expect(playerList(names)).toBe(text);
  });
});

const file = (key: string) => ({ key, bytes: 1, sha256: 'a' });
const ready = (version: number, createdAt = 0, lists = ['a-match']): PublicRecord => ({
  version,
  state: 'ready',
  clip: {
    title: 't',
    resolution: 1080,
    fps: 30,
    durationSeconds: 5,
    createdAt,
    renderedAt: createdAt,
    lists,
    video: file('video'),
    thumbnail: file('thumbnail'),
  },
});
const entry = (id: string, record: PublicRecord) => entryOf(id, record, 'a-match');
const listOf = (...entries: ListedClip[]) => entries.reduce<ClipList>((list, one) => withEntry(list, one) ?? list, []);
const shown = (list: ClipList) => list.filter((one) => one.shown).map(({ id }) => id);

describe('a list of clips', () => {
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

const TRACKS = { key: cutTracksKey(CLIP_ID, 'cut'), bytes: 7, sha256: 'c'.repeat(64) };
const cut = (run = 1): JobEvent => ({ type: 'tracks-cut', run, tracks: TRACKS });
const withTracks = (job: Job, run?: number) => step(job, cut(run), T0 + 1).job;
const inspection = () => newJob({ work: { kind: 'inspection' } });
const inspected = () => steps(inspection(), CLAIM, { type: 'inspected', fence: 1, tracks: TRACKS });
const files = (purge?: string) => ({ type: 'delete-files', prefix: `clips/${CLIP_ID}/cut/`, purge });

describe('the replay of a job', () => {
  it.each(['pending', 'prefetch', 'render', 'retrying', 'done'] as const)('may be cut in %s, once', (status) => {
    const { job, effects } = step(jobs[status](), cut(), T0 + 1);
    expect(job).toMatchObject({ status, tracks: { ...TRACKS, createdAt: T0 + 1 } });
    expect(effects).toEqual([{ type: 'project', isPublic: true }]);
    expect(transition(job, cut(), at(T0))).toEqual({ ok: false, refusal: 'job_changed' });
  });

  it('may not be cut for an ended or another run, or for a run that replaces a clip', () => {
    const rerun = step(jobs.done(), { type: 'redo', admission: admission() }).job;
    for (const job of [jobs.error(), rerun, step(jobs.done(), { type: 'delete-clip' }).job]) {
      expect(mayHaveTracks(job)).toBe(false);
      expect(transition(job, cut(job.run), at(T0))).toMatchObject({ ok: false });
    }
    expect(transition(jobs.pending(), cut(2), at(T0))).toMatchObject({ ok: false });
  });

  it.each<[string, Job, JobEvent, string | undefined]>([
    ['its clip is deleted', jobs.done(), { type: 'delete-clip' }, 'deletion'],
    ['its clip expires', jobs.done(), { type: 'expire-clip', renderedBefore: T0 + 9 }, undefined],
    ['its clip is taken down', jobs.done(), { type: 'take-down', reason: 'r' }, 'deletion'],
    ['it is taken down before the clip', jobs.render(), { type: 'take-down', reason: 'r' }, 'deletion'],
    ['its run fails', jobs.render(), failedWith(1, 'demo_404'), 'deletion'],
    ['its run is canceled', jobs.pending(), { type: 'cancel', by: 'account' }, 'deletion'],
    ['its job is made again for another request', jobs.done(), { type: 'redo', admission: admission() }, 'deletion'],
    ['its job is erased', jobs.pending(), { type: 'erase' }, 'deletion'],
  ])('ends when %s', (_, job, event, purge) => {
    const { job: after, effects } = step(withTracks(job), event, T0 + 2);
    expect(after.tracks).toBeUndefined();
    expect(effects).toContainEqual(files(purge));
    expect(effects.filter(({ type }) => type === 'project')).toEqual([{ type: 'project', isPublic: true }]);
  });

  it('stays while its job goes on, and beside its clip', () => {
    const job = withTracks(jobs.render());
    for (const events of [
      [failedWith(1, 'download_timeout')],
      [completed(1)],
      [completed(1), { type: 'resubmit', acceptable: true }, CLAIM, failedWith(2, 'demo_404')],
    ] satisfies JobEvent[][]) {
      expect(steps(job, ...events).tracks).toEqual(job.tracks);
    }
  });

  it('is public until there is a clip, and then a part of it', () => {
    const job = withTracks(jobs.render());
    const { version, tracks } = job;
    expect(recordOf(jobs.render())).toMatchObject({ state: 'unknown' });
    expect(recordOf(job)).toEqual({ version, state: 'replay', clip: { tracks } });
    const sites = { ...USUAL_VIEWING, embedSites: ['example.com'] };
    expect(recordOf(job, sites)).toMatchObject({ state: 'replay', clip: { embedSites: ['example.com'] } });
    expect(recordOf(job, { ...USUAL_VIEWING, isHidden: true })).toMatchObject({ state: 'removed' });
    expect(recordOf(jobs.render(), { ...USUAL_VIEWING, isHidden: true })).toMatchObject({ state: 'unknown' });
    expect(recordOf(steps(job, completed(1)))).toMatchObject({ state: 'ready', clip: { tracks, fps: 30 } });
    const removed = steps(job, { type: 'take-down', reason: 'r' });
    expect(recordOf(removed)).toMatchObject({ state: 'removed' });
    expect(step(removed, { type: 'resubmit', acceptable: true }).job).toMatchObject({ errorCode: 'clip_removed' });
    expect(step(removed, { type: 'take-down', reason: 'again' }).job).toBe(removed);
  });
});

describe('the replay of a demo', () => {
  it('is published again as a clip is, and forgotten once', () => {
    expect(step(inspected(), { type: 'republish' }).effects).toEqual([{ type: 'project', isPublic: true }]);
    const forgotten = step(inspected(), { type: 'forget-tracks' }).job;
    expect(step(forgotten, { type: 'forget-tracks' }).job).toBe(forgotten);
    expect(transition(forgotten, { type: 'republish' }, at(T0))).toEqual({ ok: false, refusal: 'no_clip' });
  });
});

describe('keys of files', () => {
  it('is below the clip and the fence, or below the account', () => {
    expect(attemptPrefix(CLIP_ID, 3)).toBe(`clips/${CLIP_ID}/3/`);
    expect(clipFileKey(CLIP_ID, 3, 'video')).toBe(`clips/${CLIP_ID}/3/video.mp4`);
    expect(clipFileKey(CLIP_ID, 3, 'thumbnail')).toBe(`clips/${CLIP_ID}/3/thumbnail.jpg`);
    const kinds = ['video', 'thumbnail', 'storyboard', 'tracks'] as const;
    expect(filesOfAttempt(`clips/${CLIP_ID}/30/`)).toEqual(kinds.map((kind) => clipFileKey(CLIP_ID, 30, kind)));
    for (const other of [`clips/${CLIP_ID}/`, 'clips/a/b/3/', 'clips/a/3/x', 'x/clips/a/3/', 'clips/a/x/'])
      expect(filesOfAttempt(other)).toBeNull();
    expect(assetKey('a', 'b')).toBe('assets/a/b');
    expect(CLIP_FILE_TYPES).toEqual({
      video: 'video/mp4',
      thumbnail: 'image/jpeg',
      storyboard: 'image/jpeg',
      tracks: 'application/octet-stream',
    });
  });
});

describe('a file that a job still needs', () => {
  const file = (fence: number, kind: 'video' | 'thumbnail') => ({
    key: clipFileKey(CLIP_ID, fence, kind),
    bytes: 1,
    sha256: '',
  });
  const clip = { state: 'ready', video: file(1, 'video'), thumbnail: file(1, 'thumbnail') } as never;
  const lease = { fence: 2 } as never;

  it('belongs to the present attempt', () => {
    expect(ownsFile({ clipId: CLIP_ID, lease, clip: null }, clipFileKey(CLIP_ID, 2, 'video'))).toBe(true);
    expect(ownsFile({ clipId: CLIP_ID, lease, clip: null }, clipFileKey(CLIP_ID, 20, 'video'))).toBe(false);
    expect(ownsFile({ clipId: CLIP_ID, lease: null, clip: null }, clipFileKey(CLIP_ID, 2, 'video'))).toBe(false);
  });

  it('belongs to the present clip until that is deleted', () => {
    for (const kind of ['video', 'thumbnail'] as const) {
      expect(ownsFile({ clipId: CLIP_ID, lease, clip }, clipFileKey(CLIP_ID, 1, kind))).toBe(true);
      const deleted = { ...(clip as object), state: 'deleted' } as never;
      expect(ownsFile({ clipId: CLIP_ID, lease, clip: deleted }, clipFileKey(CLIP_ID, 1, kind))).toBe(false);
    }
    expect(ownsFile({ clipId: CLIP_ID, lease, clip }, clipFileKey(CLIP_ID, 3, 'video'))).toBe(false);
  });

  it('belongs to the present replay, which has a folder of its own', () => {
    const [key, other] = [cutTracksKey(CLIP_ID, 'a'), cutTracksKey(CLIP_ID, 'b')];
    const tracks = { key, bytes: 1, sha256: '', createdAt: 1 };
    expect([key, folderOf(key)]).toEqual([`clips/${CLIP_ID}/a/tracks.bin`, `clips/${CLIP_ID}/a/`]);
    expect(ownsFile({ clipId: CLIP_ID, lease: null, clip: null, tracks }, key)).toBe(true);
    expect(ownsFile({ clipId: CLIP_ID, lease: null, clip: null, tracks }, other)).toBe(false);
  });
});
