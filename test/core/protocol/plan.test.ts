import { describe, expect, it } from 'vitest';
import { DemoMatch } from '#protocol/demos.ts';
import { DEMO } from '#protocol/examples.ts';
import { plannableDemo, planView } from '#protocol/plan.ts';
import { priceList } from '#protocol/variable-shapes.ts';

const MATCH = DemoMatch.parse(DEMO.match);
const shot = (startTick: number, endTick: number) => ({
  ...{ pov: 1, subject: 1, round: null, startTick, endTick, kills: [], speeds: [] },
});
const HD = { resolution: 1080, fps: 30 } as const;

describe('what the planner reads of an inspection', () => {
  it('is what the host has reported of gaps, announcements and kills that end a round', () => {
    const [kill, round] = [MATCH.kills[0], MATCH.rounds[0]];
    if (!kill || !round) throw new Error('the example has neither');
    const kills = [kill, { ...kill, ends_round: true as const }];
    const whole = plannableDemo({ ...MATCH, kills, gaps: [{ start_tick: 5, end_tick: 9 }] });
    expect(whole).toMatchObject({ gaps: [{ startTick: 5, endTick: 9 }], rounds: [{ officialEndTick: 47_552 }] });
    expect(kills.map(whole.endsRound)).toEqual([false, true]);
    const { official_end_tick: _, ...bare } = round;
    const { gaps: __, ...partial } = { ...MATCH, rounds: [bare] };
    expect(plannableDemo(partial)).toMatchObject({ gaps: [], rounds: [{ officialEndTick: null }] });
    expect(planView(partial, [shot(1, 65)], HD, null).is_estimate).toBe(true);
  });

  it('has the recorder by position', () => {
    expect(plannableDemo(MATCH).recorder).toBeNull();
    const steamId = MATCH.players[1]?.steam64_id ?? '';
    expect(plannableDemo({ ...MATCH, recorded_by: steamId }).recorder).toBe(1);
  });
});

describe('a plan', () => {
  it('has the seconds of whole frames, at least one a shot', () => {
    const { seconds, shots, is_estimate } = planView(MATCH, [shot(0, 65), shot(100, 101)], HD, null);
    expect(is_estimate).toBe(false);
    expect([seconds, ...shots.map((one) => one.seconds)]).toEqual([1.033, 1, 0.033]);
    expect(shots[1]).toMatchObject({ steam64_id: MATCH.players[1]?.steam64_id, start_tick: 100, end_tick: 101 });
  });

  it('has the ticks of the kills in a shot', () => {
    const kills = [{ tick: 7, attacker: 1, victim: 0, round: 1 }];
    expect(planView(MATCH, [{ ...shot(0, 65), kills }], HD, null).shots[0]?.kill_ticks).toEqual([7]);
  });

  it('has the speed, the subject and the cards that differ from a plain clip', () => {
    const speeds = [{ tick: 0, speed: 0.5 }];
    const cards = [{ kind: 'outro', seconds: 1.25 }] as const;
    const plan = planView(MATCH, [{ ...shot(0, 64), subject: 0, speeds }, shot(0, 64)], HD, null, cards);
    const [slow, plain] = plan.shots;
    expect(slow).toMatchObject({ subject_steam64_id: MATCH.players[0]?.steam64_id, speed: 0.5, seconds: 2 });
    expect([plain?.subject_steam64_id, plain?.speed, plain?.seconds]).toEqual([undefined, undefined, 1]);
    expect([plan.cards, plan.seconds]).toEqual([cards, 4.267]);
    expect(planView(MATCH, [shot(0, 64)], HD, null)).not.toHaveProperty('cards');
  });

  it('has the price of the first rate that is enough', () => {
    const prices = priceList.parse('EUR 1080p30=3.6 1080p60=9 1440p30=18.50');
    const price = (picture: Parameters<typeof planView>[2]) => planView(MATCH, [shot(0, 640)], picture, prices).price;
    expect(price(HD)).toEqual({ amount: 0.01, currency: 'EUR' });
    expect(price({ ...HD, fps: 31 })).toEqual({ amount: 0.025, currency: 'EUR' });
    expect(price({ ...HD, resolution: 1440 })).toEqual({ amount: 0.0514, currency: 'EUR' });
    expect(price({ resolution: 1440, fps: 60 })).toBeUndefined();
    expect(planView(MATCH, [shot(0, 640)], HD, null)).not.toHaveProperty('price');
  });

  it.each(['', 'EUR', 'EUR 9', 'eur 1080p60=9', 'EUR 1080p60=9 ', 'EUR 1080p60=-1', 'EUR 1080p60=9,5', 'XEUR 1p1=1'])(
    'has no price by %j',
    (text) => {
      expect(priceList.safeParse(text).success).toBe(false);
    },
  );
});
