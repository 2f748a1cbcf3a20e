import { describe, expect, it } from 'vitest';
import { discordWebhook } from '#protocol/discord-url.ts';

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
