import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SubmitRequest } from '#protocol/clip/submit.ts';
import { DemoFilter, filteredMatch } from '#protocol/demo/demo-filter.ts';
import { DemoMatch } from '#protocol/demo/demos.ts';
import { plannableDemo, planView } from '#protocol/demo/plan.ts';
import { factsOf } from '#protocol/demo/uploads.ts';
import { DEMO } from '#protocol/examples/client.ts';
import { priceList } from '#protocol/lib/shapes.ts';
import { mismatchOf, momentsOf, type Rule, RuleRequest } from '#protocol/rule/rules.ts';

describe('a filter of demos', () => {
  const MATCH = DemoMatch.parse(DEMO.match);
  const [PLAYER] = MATCH.players;
  const [KILL] = MATCH.kills;
  const [HIGHLIGHT] = MATCH.highlights;
  if (!PLAYER || !KILL || !HIGHLIGHT) throw new Error('the example has too little');

  const demo_url = 'https://demos.example.com/1.dem';
  const IDS = ['76561198000000001', '76561198000000002', '76561198000000003', '0'];
  const PLAYERS = IDS.map((steam64_id, i) => ({
    ...PLAYER,
    steam64_id,
    is_bot: steam64_id === '0',
    team: i % 2 ? ('CT' as const) : ('T' as const),
  }));
  const round = fc.integer({ min: 1, max: 3 });
  const KILLS = fc
    .record({
      attacker: fc.nat(3),
      victim: fc.nat(3),
      round,
      weapon: fc.constantFrom('awp', 'ak47'),
      headshot: fc.boolean(),
      tick: fc.nat(170_000),
    })
    .map((kill) => ({ ...KILL, ...kill }));
  const tick = fc.integer({ min: 0, max: 70_000 });
  const HIGHLIGHTS = fc
    .record({
      player: fc.nat(3),
      round,
      kinds: fc.subarray(['ace', 'knife'], { minLength: 1 }),
      ticks: fc.tuple(tick, tick),
    })
    .chain(({ player, ticks, ...one }) => {
      const [start_tick = 0, end_tick = 0] = ticks.toSorted((a, b) => a - b);
      const steam64_id = IDS[player] ?? '';
      const ready = fc.constantFrom<DemoMatch['highlights'][number]['request'][]>(
        { demo_url, steam64_id, round: one.round },
        { demo_url, timeline: [{ steam64_id, start_tick, end_tick: start_tick + 640 }] },
      );
      return ready.map((request) => ({ ...HIGHLIGHT, ...one, player, start_tick, end_tick, request }));
    });
  const DEMOS = fc
    .record({
      kills: fc.array(KILLS, { maxLength: 20 }),
      highlights: fc.array(HIGHLIGHTS, { maxLength: 30 }),
      recorded_by: fc.constantFrom(null, null, IDS[1] ?? ''),
    })
    .map((demo) => ({ ...MATCH, ...demo, players: PLAYERS }));
  const some = <T>(arbitrary: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
  const FILTERS = fc.record({
    weapon: some(fc.constantFrom('awp', 'knife')),
    headshot: some(fc.boolean()),
    victim: some(fc.constantFrom(...IDS)),
    round: some(round),
    kind: some(fc.constantFrom('ace', 'knife')),
    team: some(fc.constantFrom('T', 'CT')),
    best_of: some(fc.integer({ min: 1, max: 20 })),
  });

  it('300 filters leave what fits, in its order, and write timelines that may be submitted', () => {
    let written = 0;
    fc.assert(
      fc.property(DEMOS, FILTERS, (demo, filter) => {
        const { kills, highlights, best_of, ...rest } = filteredMatch(demo, filter);
        const { kills: allKills, highlights: all, ...unchanged } = demo;
        expect(rest).toEqual(unchanged);
        expect(kills).toEqual(allKills.filter((kill) => kills.includes(kill)));
        expect(highlights).toEqual(all.filter((one) => highlights.includes(one)));
        for (const kill of kills) {
          expect(filter.weapon ?? kill.weapon).toBe(kill.weapon);
          expect(filter.headshot ?? kill.headshot).toBe(kill.headshot);
          expect(filter.victim ?? IDS[kill.victim]).toBe(IDS[kill.victim]);
        }
        for (const one of [...kills.map((kill) => ({ ...kill, player: kill.attacker })), ...highlights]) {
          expect(filter.round ?? one.round).toBe(one.round);
          expect(filter.team ?? PLAYERS[one.player]?.team).toBe(PLAYERS[one.player]?.team);
        }
        for (const one of highlights)
          expect(one.kinds).toEqual(expect.arrayContaining(filter.kind ? [filter.kind] : []));
        expect(best_of === undefined).toBe(filter.best_of === undefined);
        const { recorded_by } = demo;
        const shown = highlights.filter(
          ({ player }) => IDS[player] !== '0' && [null, IDS[player]].includes(recorded_by),
        );
        if (!best_of) return;
        written += 1;
        // The contract's own check: 1 to 20 segments of 64 to 64,000 ticks.
        expect(SubmitRequest.safeParse(best_of).error).toBeUndefined();
        const ids = best_of.timeline?.map(({ steam64_id }) => steam64_id) ?? [];
        expect(shown.slice(0, filter.best_of).map(({ player }) => IDS[player])).toEqual(expect.arrayContaining(ids));
        const starts = best_of.timeline?.map(({ start_tick }) => start_tick) ?? [];
        expect(starts).toEqual(starts.toSorted((a, b) => a - b));
      }),
      { numRuns: 300, seed: 34 },
    );
    expect(written).toBeGreaterThan(20);
  });

  it('no filter leaves all', () => {
    expect(filteredMatch(MATCH, {})).toEqual(MATCH);
  });

  it('shows the kills that the filter leaves, 3 seconds before to 2 after, joined where less than 5 s are between', () => {
    const kills = [45_312, 45_900, 46_600, 50_000].map((tick, i) => ({ ...KILL, tick, headshot: i === 3 }));
    const segments = (filter: object, last_tick = 172_800) =>
      filteredMatch({ ...MATCH, kills, last_tick }, { best_of: 1, ...filter }).best_of?.timeline;
    const { steam64_id } = PLAYER;
    const first = { steam64_id, start_tick: 45_312 - 192, end_tick: 45_900 + 128 };
    const second = { steam64_id, start_tick: 46_600 - 192, end_tick: 46_600 + 128 };
    expect(segments({ headshot: false })).toEqual([first, second]);
    expect(segments({ headshot: true })).toEqual([{ steam64_id, start_tick: 50_000 - 192, end_tick: 50_128 }]);
    expect(segments({ headshot: true }, 50_064)).toMatchObject([{ end_tick: 50_064 }]);
  });

  it('shows a whole highlight that has no kill', () => {
    const { best_of } = filteredMatch({ ...MATCH, kills: [] }, { best_of: 1 });
    const { start_tick, end_tick } = HIGHLIGHT;
    expect(best_of?.timeline).toMatchObject([{ start_tick: start_tick - 192, end_tick: end_tick + 128 }]);
  });

  it.each([
    [{ round: '0' }, 'round'],
    [{ headshot: 'yes' }, 'headshot'],
    [{ victim: 'Ferris' }, 'victim'],
    [{ team: 'ct' }, 'team'],
    [{ best_of: '21' }, 'best_of'],
    [{ best_of: '0' }, 'best_of'],
    [{ weapon: '' }, 'weapon'],
    [{ kind: '' }, 'kind'],
    [{ rounds: '1' }, ''],
  ])('refuses %j and names the field', (query, field) => {
    const { error } = DemoFilter.safeParse(query);
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([field]);
  });
});

const facts = (headers: Record<string, string>) => factsOf(new Headers(headers));

describe('what a game server says about a demo', () => {
  it.each(['MatchZy', 'Get5'])('is read from the headers of %s', (plugin) => {
    const headers = { FileName: 'a.dem', MatchId: 'cup 7', MapNumber: '0', RoundNumber: '24' };
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [`${plugin}-${name}`, value]));
    expect(facts(sent)).toEqual({ file_name: 'a.dem', match_id: 'cup 7', map_number: 0, round_number: 24 });
  });

  it('is null without such headers', () => {
    expect(facts({ 'Content-Type': 'application/octet-stream' })).toBeNull();
    expect(facts({ 'MatchZy-FileName': ' ', 'MatchZy-MapNumber': 'x' })).toBeNull();
  });

  it('is cut, and leaves out what is no number', () => {
    const sent = { 'MatchZy-FileName': 'f'.repeat(300), 'MatchZy-MatchId': 'm'.repeat(300) };
    const { file_name = '', match_id = '' } = facts(sent) ?? {};
    expect([file_name.length, match_id.length]).toEqual([200, 100]);
    for (const wrong of ['-1', '1.5', '1234567890', '1 2', 'a1']) {
      const headers = { 'MatchZy-MatchId': '1', 'MatchZy-MapNumber': '123456789', 'MatchZy-RoundNumber': wrong };
      expect(facts(headers)).toEqual({ match_id: '1', map_number: 123_456_789 });
    }
  });
});

const MATCH = DemoMatch.parse(DEMO.match);
const shot = (startTick: number, endTick: number) => ({
  pov: 1,
  subject: 1,
  round: null,
  startTick,
  endTick,
  kills: [],
  speeds: [],
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

describe('the moments of a rule', () => {
  const [PLAYER] = MATCH.players;
  const [HIGHLIGHT] = MATCH.highlights;
  if (!PLAYER || !HIGHLIGHT) throw new Error('the example has too little');

  const IDS = ['a', 'b', 'c', 'd', '0'];
  const MAPS = ['de_nuke', 'de_mirage', 'de_inferno'];
  const KINDS = ['ace', '4k', 'knife', 'wallbang'];
  const some = <T>(from: readonly T[]) => fc.option(fc.subarray([...from], { minLength: 1 }), { nil: undefined });

  const RULES = fc.record({
    when: fc.record({ maps: some(MAPS), players: some(IDS) }),
    render: fc.record({
      what: fc.constantFrom('highlights', 'kills', 'best_of_each'),
      limit: fc.option(fc.integer({ min: 1, max: 10 }), { nil: undefined }),
      kinds: some(KINDS),
      players: some(IDS),
      team: fc.option(fc.constantFrom('T', 'CT'), { nil: undefined }),
    }),
  });
  type Choice = Pick<Rule, 'when' | 'render'>;

  const SOMEBODY = fc
    .record({
      steam64_id: fc.constantFrom(...IDS),
      is_bot: fc.constantFrom(false, false, false, true),
      team: fc.constantFrom('T', 'CT', null),
      kills: fc.nat(3),
    })
    .map((player) => ({ ...PLAYER, ...player }));
  const MOMENT = fc
    .record({ player: fc.nat(7), round: fc.integer({ min: 1, max: 4 }), kinds: fc.subarray(KINDS), score: fc.nat() })
    .map((one) => ({
      ...HIGHLIGHT,
      ...one,
      request: { demo_url: 'x', steam64_id: `${one.player}`, round: one.round },
    }));
  const DEMOS = fc
    .record({
      map: fc.constantFrom(...MAPS),
      recorded_by: fc.constantFrom(null, null, null, null, ...IDS),
      players: fc.array(SOMEBODY, { maxLength: 7 }),
      highlights: fc.array(MOMENT, { maxLength: 20 }),
    })
    .map((demo) => ({ ...MATCH, ...demo }));

  /** What a rule renders, said as lists: all that there is, without what does not fit, without what came before. */
  function expected({ when, render }: Choice, demo: DemoMatch): object[] {
    const people = demo.players.filter((player) => !(player.is_bot || player.steam64_id === '0'));
    const among = (list: readonly string[] | undefined, id: string) => list === undefined || list.indexOf(id) >= 0;
    if (!among(when.maps, demo.map)) return [];
    if (when.players !== undefined && people.every(({ steam64_id: id }) => !among(when.players, id))) return [];
    const shown = people.filter(
      ({ steam64_id: id, team }) =>
        among(render.players, id) && [undefined, team].includes(render.team) && [null, id].includes(demo.recorded_by),
    );
    const killers = [3, 2, 1].flatMap((kills) => shown.filter((player) => player.kills === kills));
    const all =
      render.what === 'kills'
        ? killers.map(({ steam64_id }) => ({ name: steam64_id, request: { steam64_id } }))
        : demo.highlights.flatMap(({ player, round, kinds, request }) => {
            const by = shown.find((one) => one === demo.players[player]);
            if (!by || render.kinds?.every((kind) => !kinds.includes(kind))) return [];
            return [{ name: render.what === 'highlights' ? `${by.steam64_id}:${round}` : by.steam64_id, request }];
          });
    const first = all.filter(({ name }, at) => all.findIndex((one) => one.name === name) === at);
    return first
      .slice(0, render.limit ?? { highlights: 3, kills: 10, best_of_each: 10 }[render.what])
      .map((one) => one.request);
  }

  it('1,000 rules render of 100 demos what a simple model says', { tags: ['long'] }, () => {
    const seed = Number(process.env.MODEL_SEED);
    const rules = fc.sample(RULES, { numRuns: 1000, seed }) as Choice[];
    const demos = fc.sample(DEMOS, { numRuns: 100, seed }) as DemoMatch[];
    let clips = 0;
    const wrong: object[] = [];
    for (const rule of rules) {
      for (const demo of demos) {
        const made = mismatchOf(rule.when, demo) === null ? momentsOf(rule.render, demo) : [];
        const said = expected(rule, demo);
        clips += made.length;
        if (JSON.stringify(made) !== JSON.stringify(said)) wrong.push({ rule, demo, made, said });
      }
    }
    expect(wrong.slice(0, 1)).toEqual([]);
    expect(clips).toBeGreaterThan(5000);
  });

  describe('a rule', () => {
    const highlight = (player: number, round: number) => ({
      ...HIGHLIGHT,
      player,
      round,
      request: { demo_url: 'x', steam64_id: MATCH.players[player]?.steam64_id ?? '', round },
    });
    const busy = { ...MATCH, highlights: [1, 2, 3, 4].flatMap((round) => [highlight(0, round), highlight(1, round)]) };

    it('says why it does not act on a demo', () => {
      expect(mismatchOf({ maps: ['de_mirage'] }, MATCH)).toBe('its map is de_nuke');
      expect(mismatchOf({ players: ['1'] }, MATCH)).toBe("none of the rule's players is in it");
      expect(mismatchOf({ maps: ['de_mirage', 'de_nuke'], players: ['1', PLAYER.steam64_id] }, MATCH)).toBeNull();
      expect(mismatchOf({}, { ...MATCH, players: [] })).toBeNull();
    });

    it('renders the three best, or one of each player, in the order of the demo', () => {
      expect(momentsOf({ what: 'highlights' }, busy)).toEqual(
        busy.highlights.slice(0, 3).map(({ request }) => request),
      );
      expect(momentsOf({ what: 'best_of_each' }, busy)).toEqual(
        busy.highlights.slice(0, 2).map(({ request }) => request),
      );
      expect(momentsOf({ what: 'highlights', limit: 10 }, busy)).toHaveLength(8);
      const players = Array.from({ length: 12 }, (_, at) => ({ ...PLAYER, steam64_id: `${at + 1}`, kills: 1 }));
      const many = { ...MATCH, players };
      const all = { ...many, highlights: players.map((_, at) => ({ ...HIGHLIGHT, player: at })) };
      expect(momentsOf({ what: 'kills' }, many)).toHaveLength(10);
      expect(momentsOf({ what: 'best_of_each' }, all)).toHaveLength(10);
    });

    it('leaves out highlights of players that the demo does not list', () => {
      expect(momentsOf({ what: 'highlights' }, { ...MATCH, highlights: [highlight(9, 1)] })).toEqual([]);
    });
  });

  it('a rule may leave out all but its name and what it renders', () => {
    const rule = RuleRequest.parse({ name: ' a ', render: { what: 'kills' } });
    expect(rule).toEqual({ name: 'a', render: { what: 'kills' } });
    expect(RuleRequest.safeParse({ ...rule, budget: { clips_a_day: 5 } }).success).toBe(false);
  });
});
