import { describe, expect, it } from 'vitest';
import { discordPostUrl, discordTarget, maskedDiscordUrl } from '#protocol/discord-url.ts';

const TOKEN = 'a-Token_of68'.padEnd(68, 'x');
const PATH = `/api/webhooks/223704706495545344/${TOKEN}`;
const DEPLOYED = { allowPrivateAddresses: false };
const LOCAL = { allowPrivateAddresses: true };

const read = (text: string, policy = DEPLOYED) => discordTarget(text, policy);

describe('the address of a webhook of Discord', () => {
  it.each(['discord.com', 'discordapp.com', 'canary.discord.com', 'ptb.discord.com'])('may be on %s', (host) => {
    expect(read(`https://${host}${PATH}`)).toEqual({
      origin: `https://${host}`,
      id: '223704706495545344',
      token: TOKEN,
      threadId: null,
    });
  });

  it.each([
    ['of the API’s version 10', `https://discord.com/api/v10${PATH.slice(4)}`, null],
    ['of a thread', `https://discord.com${PATH}?thread_id=42`, '42'],
    ['in other letters and with the usual port', `HTTPS://Discord.COM:443${PATH}`, null],
  ])('may be one %s', (_, url, threadId) => {
    expect(read(url)).toEqual({ origin: 'https://discord.com', id: '223704706495545344', token: TOKEN, threadId });
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
    expect(read(`http://127.0.0.1:8080${PATH}`, LOCAL)?.origin).toBe('http://127.0.0.1:8080');
    expect(read(`http://10.0.0.1:8080${PATH}`, LOCAL)).toBeNull();
    expect(read(`http://discord.com${PATH}`, LOCAL)).toBeNull();
    expect(read(`https://discord.com${PATH}`, LOCAL)?.token).toBe(TOKEN);
  });

  it('is posted to by its version and with a confirmation', () => {
    const post = (url: string) => discordPostUrl(read(url) ?? { origin: '', id: '', token: '', threadId: null });
    const posted = `https://discord.com/api/v10/webhooks/223704706495545344/${TOKEN}?wait=true`;
    expect(post(`https://discord.com${PATH}`)).toBe(posted);
    expect(post(`https://discord.com/api/v10${PATH.slice(4)}?thread_id=42`)).toBe(`${posted}&thread_id=42`);
  });

  it('is shown without its token', () => {
    const shown = (url: string) => maskedDiscordUrl(read(url) ?? { origin: '', id: '', token: '', threadId: null });
    const masked = 'https://discord.com/api/webhooks/223704706495545344/…';
    expect(shown(`https://discord.com${PATH}`)).toBe(masked);
    expect(shown(`https://discord.com${PATH}?thread_id=42`)).toBe(`${masked}?thread_id=42`);
  });
});
