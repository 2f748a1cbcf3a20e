import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createTickreel } from '#client/index.ts';
import { writeDemoFile } from '#demo-writer/index.ts';
import { serveFile } from '#stack/listen.ts';
import { loadChunks, matchOf, openTracks } from '#tracks/file.ts';
import { startDiscord } from '../../support/discord.ts';
import { createChannel } from '../../support/discord-channel.ts';
import { idsIn, ODD_MATCH, oddNamesIn } from '../../support/odd-names.ts';
import { startReceiver } from '../../support/receiver.ts';
import { startTestStack } from '../../support/test-stack.ts';

it('no public answer, post or webhook of a clip has one of ten odd names, or a Steam id', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tickreel-test-'));
  const path = join(folder, 'match.dem');
  await writeDemoFile(ODD_MATCH, path);
  const [demo, discord, receiver] = [await serveFile(path), await startDiscord(), await startReceiver()];
  const stack = await startTestStack({ hosts: 1 });
  onTestFinished(async () => {
    await stack.remove();
    for (const one of [demo, discord, receiver]) await one.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const { baseUrl, credentials } = stack;
  const client = createTickreel({ baseUrl, apiKey: credentials.metered_key });
  const channel = await createChannel(discord.origin);
  const [followed, , third] = ODD_MATCH.players.map(({ steamId }) => steamId);
  await client.viewing.change({ hide_names: true, show_more: true });
  await client.rules.create({
    name: 'a rule',
    render: { what: 'kills', players: [followed ?? ''], limit: 1 },
    options: { fps: 5, title_card: true, names: { [third ?? '']: 'Ferris' } },
    send: { discord_url: channel.url, webhook_url: receiver.url },
  });
  const { demo_url } = await client.uploads.send({ name: 'match.dem', content: await (await fetch(demo.url)).blob() });
  const { text: webhook, body } = await receiver.arrival(0);
  const [clip, job] = [String(body.clip_id), String(body.job_id)];
  const { id } = await client.call('inspectDemo', { body: { demo_url, replay: true } });
  await expect.poll(async () => (await client.demos.get(id)).replay_url, { timeout: 120_000 }).not.toBeNull();
  const { replay } = await client.call('publishReplay', { params: { id: job } });
  await expect.poll(async () => (await channel.posts()).length, { timeout: 60_000 }).toBe(1);

  const file = await openTracks(async (start, length) => {
    const headers = { Range: `bytes=${start}-${start + length - 1}` };
    return new Uint8Array(await (await fetch(`${replay}/tracks`, { headers })).arrayBuffer());
  });
  const span = { startTick: file.firstTick, endTick: file.lastTick + 1 };
  const match = matchOf(file, await loadChunks(file, span));
  const page = `${baseUrl}/clips/${clip}`;
  const places = ['', '/embed', '/video.mp4?download', '/thumbnail.jpg', '/more'].map((place) => page + place);
  const oembeds = ['json', 'xml'].flatMap((format) =>
    [page, replay].map((url) => `${baseUrl}/oembed?${new URLSearchParams({ format, url })}`),
  );
  const answers = await Promise.all(
    [...places, replay, `${replay}/embed`, ...oembeds].map(async (url) => {
      const response = await fetch(url);
      return JSON.stringify([...response.headers]) + (await response.text());
    }),
  );
  const shown = await client.clips.get(clip);
  const texts = [...answers, JSON.stringify([match, await channel.requests(), shown]), webhook];
  expect(texts.map(oddNamesIn)).toEqual(texts.map(() => []));
  expect(texts.flatMap(idsIn)).toEqual([]);
  expect(shown.title).toMatch(/^5 kills by Player 1 on /);
  const names = match.players.map(({ name }) => name);
  expect(names).toEqual(ODD_MATCH.players.map((_, i) => (i === 2 ? 'Ferris' : `Player ${i + 1}`)));
  expect((await fetch(`${page}/more`)).status).toBe(404);
  const isNamed = (text: string) => ['Player 1', 'Player%201', 'player-1'].some((name) => text.includes(name));
  expect(answers.map(isNamed)).toEqual([true, true, true, true, false, true, true, true, true, true, true]);
});
