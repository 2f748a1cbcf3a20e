import { describe, expect, it } from 'vitest';
import { advanceTag, isCovered } from '#domain/host/fair-queue.ts';
import type { Capability, Need } from '#domain/host/need.ts';
import {
  createPace,
  type Fleet,
  type HostGroup,
  isUnservable,
  type QueuedJob,
  type Wait,
  waitOf,
} from '#domain/host/wait.ts';
import { queuePlace } from '#protocol/job/job-detail.ts';
import { T0 } from './builders.ts';

describe('a wait', () => {
  const SOON = T0 + 60_000;
  const need: Need = { resolution: 1080, fps: 60, renderer: 'cs2', refusedBuilds: [] };
  const GAME: Capability = { maxResolution: 1440, maxFps: 60, renderer: 'cs2', gameBuild: '1', labels: ['eu'] };
  const RADAR: Capability = { maxResolution: 1080, maxFps: 120, renderer: 'radar', gameBuild: null };
  const group = (readiness: HostGroup['readiness'], count = 1, more: Partial<HostGroup> = {}): HostGroup => {
    return { capability: GAME, readiness, until: null, count, hostId: 'h', ...more };
  };
  const fleetOf = (...groups: HostGroup[]): Fleet => ({ groups, kinds: [], isStarting: false });
  const queued: QueuedJob = {
    need,
    isSuspended: false,
    isSuggested: false,
    slotsInUse: null,
    isShareUsed: false,
    avoids: null,
    place: null,
  };
  const why = (fleet: Fleet, more: Partial<QueuedJob> = {}, run = {}, showsLabels = false): Wait => {
    const job = { ...queued, ...more };
    return waitOf({ need: job.need, queued: job, ...run }, fleet, T0, showsLabels);
  };
  const BUSY = 'All 3 hosts that can render 1080p at 60 fps with the game are busy.';
  const SEEN = { capability: GAME, at: T0 - 3_600_000 };

  describe('a job that none of the present hosts can take', () => {
    it.each<[string, Partial<Need>, string]>([
      ['the game', {}, 'No host can render 1080p at 60 fps with the game: none has the game.'],
      [
        'any renderer at 1440p',
        { renderer: null, resolution: 1440 },
        'No host can render 1440p at 60 fps: none renders 1440p.',
      ],
      [
        'frames that no radar makes',
        { renderer: 'radar', fps: 121 },
        'No host can render 1080p at 121 fps with the radar: none renders 121 fps.',
      ],
      [
        'labels',
        { renderer: null, labels: ['eu', 'big'] },
        'No host can render 1080p at 60 fps for the account: none is one that the account requires.',
      ],
      [
        'an inspection of an upload',
        { renderer: null, skills: ['inspect', 'uploads'] },
        'No host can inspect demos: none inspects demos, none fetches uploaded demos.',
      ],
      [
        'several',
        { resolution: 1440, skills: ['uploads', 'aspect'] },
        'No host can render 1440p at 60 fps with the game: none has the game, none renders 1440p, none fetches uploaded demos, none draws other shapes than 16:9.',
      ],
    ])('names what is lacking: %s', (_, part, text) => {
      const wait = why(fleetOf(group('free', 2, { capability: RADAR })), { need: { ...need, ...part } });
      expect(wait).toEqual({ reason: 'no_host', text, hosts: 0, until: null });
      expect(isUnservable(wait)).toBe(true);
    });

    it.each<[string, HostGroup[], Partial<Need>, string]>([
      ['no host at all', [], {}, 'no host is there'],
      [
        'a radar alone',
        [group('free', 1, { capability: RADAR })],
        { renderer: 'radar', labels: ['eu'] },
        'none has the label eu',
      ],
      [
        'no game and no label',
        [group('free', 1, { capability: RADAR })],
        { labels: ['eu'] },
        'none has the game, none has the label eu',
      ],
      ['a build', [group('busy')], { refusedBuilds: ['1'] }, 'each has a build of the game that refused the demo'],
      [
        'what two hosts have together',
        [group('free'), group('free', 1, { capability: RADAR })],
        { renderer: 'radar', labels: ['eu'] },
        'none can do all of it',
      ],
    ])('operators see labels: %s', (_, groups, part, lack) => {
      const { text } = why(fleetOf(...groups), { need: { ...need, ...part } }, {}, true);
      expect(text).toMatch(/^No host can render 1080p at 60 fps with the (game|radar)/);
      expect(text.endsWith(`: ${lack}.`)).toBe(true);
    });

    it('is different if a host that can was seen within a day, or the service has just started', () => {
      const gone = {
        ...fleetOf(group('free', 1, { capability: RADAR })),
        kinds: [SEEN, { ...SEEN, at: T0 - 7_200_000 }],
      };
      const wait = why(gone);
      const text = `No host that can render 1080p at 60 fps with the game is there. One was seen at ${minute(SEEN.at)}.`;
      expect(wait).toEqual({ reason: 'hosts_gone', text, hosts: 0, until: null });
      expect(isUnservable(wait)).toBe(true);
      const starting = why({ ...gone, isStarting: true });
      expect(starting).toMatchObject({ reason: 'hosts_awaited', text: expect.stringContaining('has just started') });
      expect(isUnservable(starting)).toBe(false);
      expect(why({ ...fleetOf(), isStarting: true }).reason).toBe('no_host');
    });
  });

  describe('a job that hosts can do', () => {
    it.each<[string, HostGroup[], string, string]>([
      [
        'one is busy',
        [group('busy')],
        'hosts_busy',
        'The only host that can render 1080p at 60 fps with the game is busy.',
      ],
      ['all are busy', [group('busy', 2), group('busy')], 'hosts_busy', BUSY],
      [
        'all are kept from work',
        [group('held'), group('set aside'), group('barred', 2), group('resting')],
        'hosts_held',
        'Of 5 hosts that can render 1080p at 60 fps with the game, 1 is held by the operator, 1 is resting after a refused job, 1 is set aside after faults, 2 are set aside because of the build of the game.',
      ],
      [
        'one is free',
        [group('free'), group('busy', 5)],
        'in_turn',
        'It is given out in its turn: 1 host that can render 1080p at 60 fps with the game is free.',
      ],
      [
        'two are free',
        [group('free', 2)],
        'in_turn',
        'It is given out in its turn: 2 hosts that can render 1080p at 60 fps with the game are free.',
      ],
    ])('says why it waits: %s', (_, groups, reason, text) => {
      const others = group('free', 9, { capability: RADAR });
      const hosts = groups.reduce((sum, { count }) => sum + count, 0);
      const wait = why(fleetOf(others, ...groups));
      expect(wait).toEqual({ reason, text, hosts, until: null });
      expect(isUnservable(wait)).toBe(false);
    });

    it('says when the first host is back', () => {
      const fleet = fleetOf(
        group('held'),
        group('set aside', 1, { until: SOON + 60_000 }),
        group('held', 1, { until: SOON }),
        group('barred', 1, { until: T0 }),
      );
      const wait = why(fleet, {}, { fallbackAt: SOON - 1 });
      expect(wait).toMatchObject({ reason: 'hosts_held', until: SOON });
      expect(wait.text).toContain(`. The first is back at ${minute(SOON)}. The radar`);
    });

    it('says that its account has its slots, or its share, while all hosts are busy', () => {
      const busy = fleetOf(group('busy', 3));
      expect(why(busy, { slotsInUse: 2, isShareUsed: true })).toMatchObject({
        reason: 'slots_in_use',
        text: `2 provisioned slots of the account are in use. ${BUSY}`,
      });
      expect(why(busy, { slotsInUse: 1 }).text).toMatch(/^1 provisioned slot of the account is in use\. /);
      expect(why(busy, { slotsInUse: 0 }).reason).toBe('hosts_busy');
      expect(why(busy, { isShareUsed: true })).toMatchObject({
        reason: 'share_in_use',
        text: `The account has its share of the hosts, and other accounts wait. ${BUSY}`,
      });
      expect(why(fleetOf(group('free')), { slotsInUse: 2, isShareUsed: true }).reason).toBe('in_turn');
      expect(why(fleetOf(group('held')), { slotsInUse: 2 }).reason).toBe('hosts_held');
    });

    it('avoids the host that failed it as long as no other host is free', () => {
      const avoids = { hostId: 'bad', until: SOON };
      const bad = group('free', 1, { hostId: 'bad' });
      const text = `It avoids the host that failed it until ${minute(SOON)}.`;
      expect(why(fleetOf(bad), { avoids })).toEqual({ reason: 'host_avoided', text, hosts: 1, until: SOON });
      expect(why(fleetOf(bad, group('busy', 3)), { avoids })).toMatchObject({ text: `${text} ${BUSY}`, hosts: 4 });
      expect(why(fleetOf(bad, group('free', 1, { hostId: 'good' })), { avoids }).reason).toBe('in_turn');
      expect(why(fleetOf({ ...bad, count: 2 }), { avoids }).reason).toBe('in_turn');
      expect(why(fleetOf(bad)).reason).toBe('in_turn');
    });

    it('names neither labels nor builds to clients', () => {
      const wanted = { need: { ...need, labels: ['eu'], refusedBuilds: ['2'] } };
      const [client, operator] = [false, true].map(
        (showsLabels) => why(fleetOf(group('busy')), wanted, {}, showsLabels).text,
      );
      expect(client).toBe(
        'The only host that can render 1080p at 60 fps with the game for the account and play the demo is busy.',
      );
      expect(operator).toBe(
        'The only host that can render 1080p at 60 fps with the game for eu and play the demo is busy.',
      );
    });

    it('counts hosts that work and have not called since their dispatcher started, if their kind was seen', () => {
      const unseen = group('busy', 3, { capability: null });
      expect(why({ ...fleetOf(unseen), kinds: [SEEN] })).toMatchObject({ reason: 'hosts_busy', hosts: 3 });
      expect(why({ ...fleetOf(unseen), kinds: [{ ...SEEN, capability: RADAR }] }).text).toContain('no host is there');
    });

    it('is of the class of its need, in words of its own', () => {
      const inClass = { ...need, fps: 72 };
      expect(why(fleetOf(group('busy')), { need: inClass }, { need: { ...need, fps: 60 } })).toMatchObject({
        reason: 'no_host',
        text: 'No host can render 1080p at 60 fps with the game: none renders 72 fps.',
      });
      expect(waitOf({ need: inClass }, fleetOf(), T0, false).text).toContain('72 fps');
    });
  });

  it('has an estimate as long as hosts take such jobs', () => {
    const place = { position: 3, estimateS: 40 };
    const estimates = [fleetOf(group('busy')), fleetOf(group('free')), fleetOf(group('held')), fleetOf()].map(
      (fleet) => queuePlace(need, why(fleet), place).estimate_s,
    );
    expect(estimates).toEqual([40, 40, null, null]);
    expect(queuePlace(need, why(fleetOf(group('held', 1, { until: SOON }))))).toMatchObject({
      position: null,
      renderer: 'cs2',
      estimate_s: null,
      until: new Date(SOON).toISOString(),
    });
  });

  it('what the job itself is in goes before what hosts are in', () => {
    expect(why(fleetOf(), { isSuspended: true, isSuggested: true })).toMatchObject({
      reason: 'account_suspended',
      text: 'The account is suspended.',
    });
    expect(why(fleetOf(), { isSuggested: true })).toMatchObject({
      reason: 'offered',
      text: 'It is offered to a host now.',
    });
    expect(waitOf({ need, retryAt: SOON }, fleetOf(group('busy')), T0, false)).toEqual({
      reason: 'retry_later',
      text: `It is tried again at ${minute(SOON)}.`,
      hosts: 1,
      until: SOON,
    });
  });

  function minute(at: number): string {
    return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  }
});

const HD = { resolution: 1080, fps: 30 };

describe('a provisioned slot', () => {
  it('covers reserved jobs alone, as long as one is free', () => {
    expect(isCovered({ tier: 'reserved', slots: 2 }, 1)).toBe(true);
    expect(isCovered({ tier: 'reserved', slots: 2 }, 2)).toBe(false);
    expect(isCovered({ tier: 'reserved', slots: 0 }, 0)).toBe(false);
    expect(isCovered({ tier: 'metered', slots: 2 }, 0)).toBe(false);
  });

  it('is always free where there is no limit', () => {
    expect(isCovered({ tier: 'reserved', slots: null }, 1_000_000)).toBe(true);
    expect(isCovered({ tier: 'metered', slots: null }, 0)).toBe(false);
  });
});

describe('the start of a job in the queue', () => {
  it('is at the account’s last end, but never before the clock', () => {
    expect(advanceTag(5, 9, HD)).toEqual({ start: 9, next: 10 });
    expect(advanceTag(5, 2, HD)).toEqual({ start: 5, next: 6 });
    expect(advanceTag(5, null, HD)).toEqual({ start: 5, next: 6 });
    expect(advanceTag(0, null, HD)).toEqual({ start: 0, next: 1 });
  });

  it('moves the account on by pixels and frames', () => {
    expect(advanceTag(0, 0, { resolution: 1080, fps: 60 }).next).toBe(2);
    expect(advanceTag(0, 0, { resolution: 2160, fps: 30 }).next).toBe(4);
    expect(advanceTag(0, 0, { resolution: 2160, fps: 15 }).next).toBe(2);
  });
});

describe('the pace of the queue', () => {
  const T0 = 1_800_000_000_000;
  const MINUTE = 60_000;

  function paceOf(times: readonly number[]) {
    const pace = createPace();
    for (const time of times) pace.note(time);
    return pace;
  }

  it('estimates by the jobs that left in the last ten minutes', () => {
    const pace = paceOf([T0, T0 + MINUTE, T0 + 2 * MINUTE, T0 + 3 * MINUTE]);
    expect(pace.estimateBehind(5, T0 + 4 * MINUTE)).toEqual({ position: 6, estimateS: 360 });
    expect(pace.estimateBehind(0, T0 + 10 * MINUTE)).toEqual({ position: 1, estimateS: 180 });
  });

  it('estimates nothing after fewer than three, and has no place for a job that does not wait', () => {
    expect(paceOf([]).estimateBehind(0, T0)).toEqual({ position: 1, estimateS: null });
    expect(paceOf([T0, T0]).estimateBehind(0, T0)).toEqual({ position: 1, estimateS: null });
    expect(paceOf([T0, T0, T0]).estimateBehind(null, T0)).toBeNull();
  });

  it('remembers the last 64', () => {
    const times = Array.from({ length: 65 }, (_, n) => T0 + n * 1000);
    expect(paceOf(times.slice(0, 64)).estimateBehind(639, T0 + 128_000)?.estimateS).toBe(1280);
    expect(paceOf(times).estimateBehind(639, T0 + 129_000)?.estimateS).toBe(1280);
  });
});
