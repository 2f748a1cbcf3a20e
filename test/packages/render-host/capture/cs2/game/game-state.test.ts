import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { receiveGameState } from '#render-host/capture/cs2/game/game-state.ts';
import type { Cs2Settings } from '#render-host/capture/cs2/game/launch-args.ts';
import { setUpGame } from '../game-setup.ts';

const CONFIG = 'game/csgo/cfg/gamestate_integration_tickreel.cfg';

/** Returns a receiver, its reports, and the secret of the game's configuration. */
async function receive() {
  const { settings, leftovers } = await setUpGame();
  const state = await receiveGameState(settings);
  onTestFinished(() => state.close());
  const heard: (string | null)[] = [];
  state.onReport((steamId) => heard.push(steamId));
  const config = await readFile(join(settings.gameDir, CONFIG), 'utf8');
  const token = /"token" "([0-9a-f]+)"/.exec(config)?.[1] ?? '';
  return { settings, state, heard, config, token, leftovers };
}

function post({ gameStatePort }: Cs2Settings, body: unknown): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(`http://127.0.0.1:${gameStatePort}/`, { method: 'POST', body: text });
}

describe('the game’s reports', () => {
  it('say whom it shows, to those whom its configuration names', async () => {
    const { settings, heard, config, token } = await receive();
    expect(config).toContain(`"uri" "http://127.0.0.1:${settings.gameStatePort}/"`);
    expect(config).toContain('"player_id" "1"');
    const auth = { token };
    expect((await post(settings, { auth, player: { steamid: '76561198000000001' } })).status).toBe(200);
    expect((await post(settings, { auth, map: { name: 'de_nuke' } })).status).toBe(200);
    expect(heard).toEqual(['76561198000000001', null]);
  });

  it.each([
    ['without the secret', { player: { steamid: '1' } }],
    ['with another secret', { auth: { token: '0'.repeat(32) }, player: { steamid: '1' } }],
    ['that are no JSON', 'hello'],
    ['that never end', 'x'.repeat(2 * 1024 * 1024)],
  ])('%s count for nothing', async (_name, body) => {
    const { settings, heard } = await receive();
    const status = await post(settings, body).then(
      (response) => response.status,
      () => 403,
    );
    expect(status).toBe(403);
    expect(heard).toEqual([]);
  });

  it('have a secret of their own each time, and no configuration once nobody listens', async () => {
    const first = await receive();
    await first.state.close();
    expect(await first.leftovers()).toEqual([]);
    const second = await receive();
    expect(second.token).not.toBe(first.token);
    expect(first.token).toHaveLength(32);
  });

  it('cannot be received on a port that is taken', async () => {
    const { settings } = await receive();
    await expect(receiveGameState(settings)).rejects.toMatchObject({ code: 'cs2_unavailable' });
  });

  it('cannot be asked for in a folder that is not there', async () => {
    const { settings } = await setUpGame();
    const elsewhere = { ...settings, gameDir: '/nowhere' };
    await expect(receiveGameState(elsewhere)).rejects.toMatchObject({ code: 'cs2_unavailable' });
    // The port is free again.
    await (await receiveGameState(settings)).close();
  });
});
