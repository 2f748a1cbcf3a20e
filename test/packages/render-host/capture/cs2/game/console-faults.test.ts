import { describe, expect, it } from 'vitest';
import { type GamePhase, listenForFaults } from '#render-host/capture/cs2/game/console-faults.ts';

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
  ])('in the middle of a demo explain why playback stops: %s', (line) => {
    const faults = listenForFaults();
    faults.enter('playing');
    expect(faults.faultIn(line)).toBeNull();
    expect(faults.explain('playback does not advance').code).toBe('demo_incompatible');
  });

  it('before it ended or hung explain the end, quoted in short', () => {
    const faults = listenForFaults();
    faults.enter('playing');
    expect(faults.faultIn(`FATAL ERROR: ${DEATH}`)).toBeNull();
    const explained = faults.explain('the game ended');
    expect(explained.code).toBe('demo_incompatible');
    expect(explained.message).toContain(DEATH);
    expect(explained.message.length).toBeLessThan(400);
    expect(explained.message).not.toMatch(/\p{Cc}|\p{Cf}/u);
    faults.enter('loading');
    expect(faults.explain('the game ended')).toMatchObject({ code: 'cs2_unavailable', message: 'the game ended' });
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

  it('names no cause either, unless it is in the place of the engine’s message', () => {
    const faults = listenForFaults();
    faults.enter('playing');
    for (const line of LINES) faults.faultIn(line.replaceAll(REFUSAL, DEATH));
    faults.faultIn('GetClassBaseline failed connected');
    faults.faultIn(`${DEATH} connected`);
    expect(faults.explain('the game ended').code).toBe('cs2_unavailable');
  });
});
