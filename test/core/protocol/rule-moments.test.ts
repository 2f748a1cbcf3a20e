import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DemoMatch } from '#protocol/demos.ts';
import { DEMO } from '#protocol/examples.ts';
import { mismatchOf, momentsOf } from '#protocol/rule-moments.ts';
import { type Rule, RuleRequest } from '#protocol/rules.ts';

const MATCH = DemoMatch.parse(DEMO.match);
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
  .map((one) => ({ ...HIGHLIGHT, ...one, request: { demo_url: 'x', steam64_id: `${one.player}`, round: one.round } }));
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

it('1,000 rules render of 100 demos what a simple model says', () => {
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
    ...{ ...HIGHLIGHT, player, round },
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
    expect(momentsOf({ what: 'highlights' }, busy)).toEqual(busy.highlights.slice(0, 3).map(({ request }) => request));
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
