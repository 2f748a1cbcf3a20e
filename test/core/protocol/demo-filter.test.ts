import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DemoFilter, filteredMatch } from '#protocol/demo-filter.ts';
import { DemoMatch } from '#protocol/demos.ts';
import { DEMO } from '#protocol/examples.ts';
import { SubmitRequest } from '#protocol/submit.ts';

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
      for (const one of highlights) expect(one.kinds).toEqual(expect.arrayContaining(filter.kind ? [filter.kind] : []));
      expect(best_of === undefined).toBe(filter.best_of === undefined);
      const { recorded_by } = demo;
      const shown = highlights.filter(({ player }) => IDS[player] !== '0' && [null, IDS[player]].includes(recorded_by));
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
