import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  attachable,
  discordEdit,
  discordMessage,
  discordWebhook,
  escapeDiscord,
  type PostedClip,
} from '#protocol/job/discord.ts';

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

  it('has addresses alone as soon as one of its ten videos has more than 10 MiB', () => {
    const large = { ...clip, videoBytes: 10 * MIB + 1 };
    const page = `https://clips.example/clips/${clip.id}`;
    const quiet = { allowed_mentions: { parse: [] } };
    expect(messageOf([clip, large])).toEqual({ content: `${page}\n${page}`, ...quiet });
    const edit = (left: PostedClip) => JSON.parse(discordEdit([left], 'https://clips.example'));
    expect(edit(large)).toEqual({ content: page, embeds: [], attachments: [], ...quiet });
    expect(edit(clip)).toEqual({ content: '', attachments: [], ...messageOf([clip]) });
    expect(messageOf([...Array(10).fill(clip), large]).embeds).toHaveLength(10);
  });

  it('attaches files up to 10 MiB while all have 24 MiB at most', () => {
    const sizes = (...mib: readonly number[]) =>
      attachable(mib.map((size) => ({ ...clip, videoBytes: size * MIB }))).map(({ videoBytes }) => videoBytes / MIB);
    expect(sizes(10, 10, 5, 4, 1)).toEqual([10, 10, 4]);
    expect(sizes(10, 10 + 1 / MIB)).toEqual([]);
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

const ID = '223704706495545344';
const TOKEN = 'a-Token_of68'.padEnd(68, 'x');
const PATH = `/api/webhooks/${ID}/${TOKEN}`;

const read = (text: string, isLocal = false) => discordWebhook(text, isLocal);

describe('the address of a webhook of Discord', () => {
  it.each(['discord.com', 'discordapp.com'])('may be on %s', (host) => {
    expect(read(`https://${host}${PATH}`)).toEqual({
      postUrl: `https://${host}/api/v10/webhooks/${ID}/${TOKEN}?wait=true`,
      masked: `https://${host}/api/webhooks/${ID}/…`,
    });
  });

  it.each([
    ['of the API’s version 10', `https://discord.com/api/v10${PATH.slice(4)}`],
    ['in other letters and with the usual port', `HTTPS://Discord.COM:443${PATH}`],
    ['without credentials', `https://:@discord.com${PATH}`],
  ])('may be one %s', (_, url) => {
    expect(read(url)).toEqual(read(`https://discord.com${PATH}`));
  });

  it('may be of a thread', () => {
    expect(read(`https://discord.com${PATH}?thread_id=42`)).toEqual({
      postUrl: `https://discord.com/api/v10/webhooks/${ID}/${TOKEN}?wait=true&thread_id=42`,
      masked: `https://discord.com/api/webhooks/${ID}/…?thread_id=42`,
    });
  });

  it.each([
    'discord.com',
    `http://discord.com${PATH}`,
    `ftp://discord.com${PATH}`,
    `https://discord.com:8443${PATH}`,
    `https://discord.com.${PATH}`,
    `https://discord.com.evil.example${PATH}`,
    `https://evil.example/discord.com${PATH}`,
    `https://evildiscord.com${PATH}`,
    `https://cdn.discord.com${PATH}`,
    `https://canary.discordapp.com${PATH}`,
    `https://d\u0456scord.com${PATH}`,
    `https://discord.com@evil.example${PATH}`,
    `https://user@discord.com${PATH}`,
    `https://:secret@discord.com${PATH}`,
    `https://discord.com${PATH}#x`,
    `https://discord.com${PATH}/slack`,
    `https://discord.com${PATH}/github`,
    `https://discord.com${PATH}/../../../users/@me`,
    `https://discord.com/x${PATH}`,
    `https://discord.com${PATH}%2f`,
    `https://discord.com${PATH}?wait=true`,
    `https://discord.com${PATH}?thread_id=42&with_components=true`,
    `https://discord.com${PATH}?thread_id=`,
    `https://discord.com${PATH}?thread_id=x1`,
    `https://discord.com${PATH}?thread_id=1&thread_id=2`,
    `https://discord.com${PATH}?thread_id=${'1'.repeat(21)}`,
    `https://evil.example/https://discord.com${PATH}`,
    `https://discord.com\\@evil.example${PATH}`,
    'https://discord.com/api/webhooks/223704706495545344',
    'https://discord.com/api/webhooks/223704706495545344/',
    `https://discord.com/api/webhooks/x/${TOKEN}`,
    `https://discord.com/api/webhooks/${'1'.repeat(21)}/${TOKEN}`,
    `https://discord.com/api/webhooks/1/${'t'.repeat(201)}`,
    `https://discord.com/api/v6${PATH.slice(4)}`,
    `https://discord.com${PATH.slice(4)}`,
    `http://127.0.0.1:8080${PATH}`,
    `https://localhost${PATH}`,
  ])('is not %s', (url) => {
    expect(read(url)).toBeNull();
  });

  it('may be on loopback where the whole service is on one machine, and on no other private host', () => {
    expect(read(`http://127.0.0.1:8080${PATH}`, true)?.masked).toBe(`http://127.0.0.1:8080/api/webhooks/${ID}/…`);
    expect(read(`https://discord.com${PATH}`, true)).toEqual(read(`https://discord.com${PATH}`));
    for (const origin of ['http://10.0.0.1:8080', 'http://discord.com', 'http://127.0.0.1:8080.evil.example']) {
      expect(read(origin + PATH, true)).toBeNull();
    }
  });
});
