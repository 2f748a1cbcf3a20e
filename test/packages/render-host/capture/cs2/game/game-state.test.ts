import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type GamePhase, listenForFaults } from '#render-host/capture/cs2/game/console-faults.ts';
import { createMarkers, type Marker } from '#render-host/capture/cs2/game/game-console.ts';
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

const markers = createMarkers('ab12');
const ALL: readonly Marker[] = [
  ...(['ready', 'seeked', 'slipped', 'aimed', 'recording', 'recorded', 'clear'] as const).map((kind) => ({
    kind,
    take: '0a',
  })),
  { kind: 'tick', take: '12b', tick: 4096 },
];
const echoOf = (marker: Marker) => markers.commandFor(marker).replace(/^echo /, '');

describe('a marker', () => {
  it.each(ALL)('is parsed when the game echoes it: $kind', (marker) => {
    expect(markers.parse(echoOf(marker))).toEqual(marker);
    expect(markers.parse(`12:00:01 [Console] ${echoOf(marker)}  `)).toEqual(marker);
  });

  it.each(ALL)('is not taken from the line that repeats the command: $kind', (marker) => {
    expect(markers.parse(markers.commandFor(marker))).toBeNull();
    expect(markers.parse(`] ${markers.commandFor(marker)}`)).toBeNull();
  });

  it('of another session, of an unknown kind, or within other text is ignored', () => {
    const echo = echoOf({ kind: 'ready', take: '0' });
    for (const line of [echo.replace('ab12', 'ab13'), 'tickreel.ab12.lost.0a', `x${echo}`, `${echo} and more`, ''])
      expect(markers.parse(line)).toBeNull();
  });
});

const REFUSAL = 'Disconnecting from server: NETWORK_DISCONNECT_REPLAY_INCOMPATIBLE';
const DEATH = 'GetClassBaseline: m_baselinehandles.find(35) Failed for class CCSGOViewModel.';

function hear(phase: GamePhase, line: string) {
  const faults = listenForFaults();
  faults.enter(phase);
  return faults.faultIn(line);
}

describe('the game’s own messages', () => {
  it.each([
    ['setup', 'cs2_unavailable', 'Unknown command: mirv_cmd'],
    ['setup', 'cs2_unavailable', "[Console] unknown command 'MIRV_streams'!"],
    ['loading', 'demo_incompatible', REFUSAL],
    ['loading', 'demo_incompatible', `[Client] CL:  ${REFUSAL} (71)`],
    ['loading', 'demo_incompatible', `10/09 09:26:14 [Client] ${REFUSAL} (Network version 14160 is incompatible.)`],
    ['loading', 'demo_incompatible', '[Client] CL:  Disconnecting from server: NETWORK_DISCONNECT_MESSAGE_PARSE_ERROR'],
    ['loading', 'demo_incompatible', '[Server] Server shutting down: NETWORK_DISCONNECT_REPLAY_INCOMPATIBLE (71)'],
  ] as const)('while it is %s say %s: %s', (phase, code, line) => {
    expect(hear(phase, `${line}  `)).toMatchObject({
      code,
      message: expect.stringContaining(line.replaceAll(/ +/g, ' ')),
    });
  });

  it.each([
    ['loading', 'Unknown command: mirv_cmd'],
    ['playing', 'Unknown command: mirv_cmd'],
    ['setup', REFUSAL],
    ['playing', REFUSAL],
    ['setup', 'mirv_cmd addAtTick 96 "x"'],
    ['setup', 'Unknown command: spec_modes'],
    ['loading', '[Client] CL:  Disconnecting from server: NETWORK_DISCONNECT_LOOPDEACTIVATE'],
  ] as const)('say nothing in another phase, or about another thing: %s, %s', (phase, line) => {
    expect(hear(phase, line)).toBeNull();
  });

  it.each([
    '10/09 09:26:14 [Client] Failed to parse message',
    '[Client] Disconnected: NETWORK_DISCONNECT_MESSAGE_PARSE_ERROR (47)',
    REFUSAL,
  ])('in the middle of a demo explain why playback stops: %s', async (line) => {
    const faults = listenForFaults();
    faults.enter('playing');
    expect(faults.faultIn(line)).toBeNull();
    expect((await faults.explain('playback does not advance')).code).toBe('demo_incompatible');
  });

  it('before it ended or hung explain the end, quoted in short', async () => {
    const faults = listenForFaults();
    faults.enter('playing');
    expect(faults.faultIn(`FATAL ERROR: ${DEATH}`)).toBeNull();
    const explained = await faults.explain('the game ended');
    expect(explained.code).toBe('demo_incompatible');
    expect(explained.message).toContain(DEATH);
    expect(explained.message.length).toBeLessThan(400);
    expect(explained.message).not.toMatch(/\p{Cc}|\p{Cf}/u);
    faults.enter('loading');
    expect(await faults.explain('it hangs')).toMatchObject({
      code: 'cs2_unavailable',
      message: 'it hangs',
      fault: null,
    });
    expect(await faults.explain('it ended', true)).toMatchObject({ code: 'cs2_unavailable', fault: 'loading' });
    faults.enter('playing');
    expect(await faults.explain('it ended', true)).toMatchObject({ message: 'it ended', fault: null });
  });
});

describe('what a player writes, or is called', () => {
  const PHASES = ['loading', 'playing'] as const;
  const WORDS = [
    "Unknown command 'mirv_cmd'!",
    REFUSAL,
    `[Client] CL:  ${REFUSAL}`,
    'NETWORK_DISCONNECT_REPLAY_INCOMPATIBLE',
  ];
  const LINES = WORDS.flatMap((words) => [
    `[ALL] Ann: ${words}`,
    `[ALL] ${words}: hello`,
    `10/09 09:26:14  [CT] Ann\u200e@Ramp [DEAD]: ${words}`,
    `${words} connected.`,
    `${words} was kicked`,
    `* Ann is now known as ${words}.x`,
  ]);

  it.each(PHASES.flatMap((phase) => LINES.map((line) => [phase, line] as const)))(
    'while the game is %s fails nothing: %s',
    (phase, line) => {
      expect(hear(phase, line)).toBeNull();
    },
  );

  it('names no cause either, unless it is in the place of the engine’s message', async () => {
    const faults = listenForFaults();
    faults.enter('playing');
    for (const line of LINES) faults.faultIn(line.replaceAll(REFUSAL, DEATH));
    faults.faultIn('GetClassBaseline failed connected');
    faults.faultIn(`${DEATH} connected`);
    expect((await faults.explain('the game ended')).code).toBe('cs2_unavailable');
  });
});
