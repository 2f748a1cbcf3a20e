import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attachable, discordMessage, escapeDiscord, type PostedClip } from '#protocol/discord-message.ts';

const MIB = 1024 * 1024;
const clip: PostedClip = {
  id: '11111111-2222-4333-8444-555555555555',
  title: 'a title of the host',
  facts: { kills: 3, players: ['Ferris', 'Juniper'], killers: ['Ferris'], map: 'de_dust2', round: 5 },
  durationSeconds: 12.4,
  videoKey: 'clips/x/1/video.mp4',
  videoBytes: 1000,
};
const messageOf = (clips: readonly PostedClip[]) => JSON.parse(discordMessage(clips, 'https://clips.example'));

describe('a post', () => {
  it('has an embed for each clip, and notifies nobody', () => {
    expect(messageOf([clip])).toEqual({
      embeds: [
        {
          title: '3 kills by Ferris',
          description: 'Ferris and Juniper · Dust II, round 5 · 13 s',
          url: `https://clips.example/clips/${clip.id}`,
          thumbnail: { url: `https://clips.example/clips/${clip.id}/thumbnail.jpg` },
        },
      ],
      allowed_mentions: { parse: [] },
    });
  });

  it('leaves out what is not known', () => {
    const embedOf = (change: Partial<PostedClip>) => messageOf([{ ...clip, ...change }]).embeds[0];
    expect(embedOf({ facts: { kills: 0, players: ['Ferris'], map: 'de_nuke', round: null } })).toMatchObject({
      title: 'Ferris',
      description: 'Ferris · Nuke · 13 s',
    });
    expect(embedOf({ facts: null, durationSeconds: 0.2 })).toMatchObject({
      title: 'a title of the host',
      description: '1 s',
    });
    const bare = embedOf({ facts: null, title: '\u202e ', durationSeconds: 0 });
    expect(bare.title).toBe('Clip');
    expect(bare).not.toHaveProperty('description');
  });

  it('has ten embeds at most', () => {
    expect(messageOf(Array.from({ length: 12 }, () => clip)).embeds).toHaveLength(10);
  });

  it('attaches files up to 10 MiB while all have 24 MiB at most', () => {
    const sizes = (...mib: readonly number[]) =>
      attachable(mib.map((size) => ({ ...clip, videoBytes: size * MIB }))).map(({ videoBytes }) => videoBytes / MIB);
    expect(sizes(10, 10 + 1 / MIB, 10, 5, 4, 1)).toEqual([10, 10, 4]);
    expect(sizes(...Array.from({ length: 11 }, () => 1))).toHaveLength(10);
  });
});

/** Names as players choose them to do harm, in pieces. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        ...[
          '@everyone',
          '<@1234>',
          '<@&5>',
          '<#6>',
          '[x](https://evil.example)',
          '<https://evil.example>',
          '||',
          '```',
        ],
        ...['https://evil.example', 'discord.gg/x', '<t:1:R>', '<:a:1>', ':smile:', '# ', '> ', '- ', '**', '__', '~~'],
        ...['\u202e', '\u2066', '\u200b', '\n', '\r', '\u2028', '\0', '\\', '`', '😀', '\ud83d', 'ﷺ'.repeat(300)],
      ),
    ),
  )
  .map((parts) => parts.join(''));

describe('a text in a post', () => {
  it('has no markdown, mention or link, is one visible line, and is as long as asked', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 2, max: 400 }), (text, most) => {
        const escaped = escapeDiscord(text, most);
        expect(escaped.length).toBeLessThanOrEqual(most);
        expect(escaped.isWellFormed()).toBe(true);
        expect(escaped).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b]/u);
        // What remains without the pairs of a backslash and its character has none of them.
        expect(escaped.replace(/\\[\p{P}\p{S}]/gu, '')).not.toMatch(/[\\`*_~|<>[\](){}#@:/.-]/);
      }),
    );
  });

  it('is otherwise unchanged', () => {
    expect(escapeDiscord(" It's ok, Käthe 小明! ", 99)).toBe("It's ok, Käthe 小明!");
    expect(escapeDiscord('a_b*c', 7)).toBe('a\\_b\\*c');
    expect(escapeDiscord('@everyone', 99)).toBe('\\@everyone');
  });

  it('ends in an ellipsis where it is cut, and never in half of a pair', () => {
    expect(escapeDiscord('abcd', 4)).toBe('abcd');
    expect(escapeDiscord('abcde', 4)).toBe('abc…');
    expect(escapeDiscord('ab cd', 4)).toBe('ab…');
    expect(escapeDiscord('ab_cd', 4)).toBe('ab…');
    expect(escapeDiscord('ab😀cd', 4)).toBe('ab…');
    expect(escapeDiscord('\\\\\\', 4)).toBe('\\\\…');
    expect(escapeDiscord('\\\\\\', 5)).toBe('\\\\\\\\…');
  });

  it('leaves a message within Discord’s limits, whoever plays', () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 5 }), hostile, (players, map) => {
        const facts = { kills: 3, players, map, round: 30 };
        const clips = Array.from({ length: 12 }, (_, i) => ({ ...clip, facts: i % 2 ? facts : null, title: map }));
        const { embeds } = messageOf(clips);
        let sum = 0;
        for (const { title, description } of embeds) {
          expect(title.trim().length).toBeGreaterThan(0);
          expect(title.length).toBeLessThanOrEqual(256);
          expect(description.length).toBeLessThanOrEqual(4096);
          sum += title.length + description.length;
        }
        expect(sum).toBeLessThanOrEqual(6000);
      }),
    );
  });
});
