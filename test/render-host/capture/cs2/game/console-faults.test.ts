import { expect, test } from 'vitest';
import { faultIn } from '../../../../../render-host/capture/cs2/game/console-faults.ts';

test.each([
  ['demo_incompatible', 'Disconnect: NETWORK_DISCONNECT_REPLAY_INCOMPATIBLE.'],
  ['demo_incompatible', 'GetClassBaseline( 42 ) failed to find its table'],
  ['cs2_unavailable', 'Unknown command: mirv_cmd'],
  ['cs2_unavailable', "unknown command 'MIRV_streams'!"],
])('%s is what this line means: %s', (code, line) => {
  const fault = faultIn(`  ${line}${'.'.repeat(1000)}`);
  expect(fault?.code).toBe(code);
  expect(fault?.message).toContain(line);
  expect(fault?.message.length).toBeLessThan(400);
});

test.each(['mirv_cmd addAtTick 96 "x"', 'Unknown command: spec_modes', 'GetClassBaseline done', ''])(
  'nothing is wrong with %j',
  (line) => {
    expect(faultIn(line)).toBeNull();
  },
);
