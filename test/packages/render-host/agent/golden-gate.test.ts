import { expect, it } from 'vitest';
import { createGoldenGate, type GoldenVerdict } from '#render-host/agent/golden-gate.ts';
import { CAPABILITIES } from '../../../support/capabilities.ts';

const MINUTE = 60_000;
const BAD = { passed: false, reason: 'ace.dem: 120 of 120 frames are black' };

/** An error is thrown instead. */
function goldenGate(verdict: GoldenVerdict | Error, { closes = false } = {}) {
  const clock = { ms: 0 };
  const drain = new AbortController();
  const state = { verdict, recorded: 0 };
  const record = async () => {
    state.recorded++;
    if (state.verdict instanceof Error) throw state.verdict;
    return state.verdict;
  };
  const log = { info: () => {}, error: () => {} };
  const gate = createGoldenGate({ record, now: () => clock.ms, drain: drain.signal, closes, log });
  const open = (game_build = '1.41.6.0') => gate.open({ ...CAPABILITIES, renderer: 'cs2', game_build });
  return { clock, drain, state, gate, open };
}

it('golden demos are recorded once for each build, before the first claim with it', async () => {
  const { state, open } = goldenGate({ passed: true });
  expect(await open()).toMatchObject({ game_build: '1.41.6.0', golden: { passed: true } });
  await open();
  expect(state.recorded).toBe(1);
  state.verdict = BAD;
  expect(await open('1.41.6.1')).toMatchObject({ game_build: '1.41.6.1', golden: BAD });
  expect(state.recorded).toBe(2);
});

it('a failure is in each claim, and the demos are recorded again after half an hour', async () => {
  const { clock, state, open } = goldenGate(BAD);
  expect(await open()).toMatchObject({ golden: BAD });
  state.verdict = { passed: true };
  clock.ms = 30 * MINUTE - 1;
  expect(await open()).toMatchObject({ golden: BAD });
  clock.ms += 1;
  expect(await open()).toMatchObject({ golden: { passed: true } });
  clock.ms += 90 * MINUTE;
  await open();
  expect(state.recorded).toBe(2);
});

it('a push host takes no jobs after a failure', async () => {
  const refused = { passed: false, refused: true };
  expect(await goldenGate(refused, { closes: true }).open()).toMatchObject({ golden: refused });
  expect(await goldenGate(BAD, { closes: true }).open()).toBeNull();
  expect(await goldenGate({ passed: true }, { closes: true }).open()).toMatchObject({ golden: { passed: true } });
});

it('a folder without demos gives no verdict, and is not read again', async () => {
  const { state, open } = goldenGate(undefined);
  expect(await open()).not.toHaveProperty('golden');
  await open();
  expect(state.recorded).toBe(1);
});

it('a host that stops during the recording claims nothing', async () => {
  const { drain, open } = goldenGate({ passed: true });
  drain.abort();
  expect(await open()).toBeNull();
});

it('a host that cannot record claims nothing, and tries again: this says nothing about the build', async () => {
  const { state, open } = goldenGate(new Error('no space left on device'));
  expect(await open()).toBeNull();
  state.verdict = { passed: true };
  expect(await open()).toMatchObject({ golden: { passed: true } });
});
