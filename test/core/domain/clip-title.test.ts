import { describe, expect, it } from 'vitest';
import { type ClipFacts, clipHeadline, clipTitle, playerList } from '#domain/clip-title.ts';

const facts = (overrides: Partial<ClipFacts> = {}): ClipFacts => ({
  ...{ kills: 3, players: ['Ferris'], map: 'de_nuke', round: null },
  ...overrides,
});

describe('a clip’s title', () => {
  it.each<[string, string, Partial<ClipFacts>]>([
    ['3 kills by Ferris', '3 kills by Ferris on Nuke', {}],
    ['1 kill by Ferris', '1 kill by Ferris on Nuke, round 5', { kills: 1, round: 5 }],
    ['Ferris', 'Ferris on Italy', { kills: 0, map: 'cs_italy' }],
    [
      '2 kills by Ferris and Juniper',
      '2 kills by Ferris and Juniper on Nuke',
      { kills: 2, players: ['Ferris', 'Juniper'] },
    ],
    [
      '2 kills by Juniper',
      '2 kills by Juniper on Nuke',
      { kills: 2, players: ['Ferris', 'Juniper'], killers: ['Juniper'] },
    ],
  ])('is headed %j and titled %j', (headline, title, overrides) => {
    expect(clipHeadline(facts(overrides))).toBe(headline);
    expect(clipTitle(facts(overrides))).toBe(title);
  });

  it.each([
    ['A', ['A']],
    ['A and B', ['A', 'B']],
    ['A, B and C', ['A', 'B', 'C']],
    ['A, B and 2 others', ['A', 'B', 'C', 'D']],
  ])('lists %j', (text, names) => {
    expect(playerList(names)).toBe(text);
  });
});
