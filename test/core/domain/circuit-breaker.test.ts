import { describe, expect, it } from 'vitest';
import {
  afterBusy,
  afterFailure,
  afterRest,
  afterTaken,
  type Circuit,
  CLOSED,
  openSlots,
} from '#domain/circuit-breaker.ts';
import { T0 } from './builders.ts';

/** Returns the circuit after so many failures, each after the rest of the one before. */
function failed(times: number, jitter = 1): Circuit {
  let circuit = CLOSED;
  for (let n = 0; n < times; n++) {
    circuit = afterRest(circuit, Number.POSITIVE_INFINITY);
    circuit = afterFailure(circuit, circuit, T0, jitter);
  }
  return circuit;
}
const rested = (circuit: Circuit) => afterRest(circuit, circuit.restUntil ?? 0);

describe('a push host', () => {
  it('may have all its slots while it is well, and none while it rests', () => {
    expect(openSlots(CLOSED, 4)).toBe(4);
    expect(openSlots(failed(1), 4)).toBe(0);
  });

  it('rests until its time is over, and not a moment less', () => {
    const circuit = failed(1);
    expect(circuit.restUntil).toBe(T0 + 1000);
    expect(openSlots(afterRest(circuit, T0 + 999), 4)).toBe(0);
    expect(openSlots(afterRest(circuit, T0 + 1000), 4)).toBe(4);
  });

  it('rests twice as long each time, up to five minutes, spread over the upper half', () => {
    const rests = (jitter: number) => [1, 2, 3, 9, 10, 1000].map((n) => (failed(n, jitter).restUntil ?? 0) - T0);
    expect(rests(1)).toEqual([1000, 2000, 4000, 256_000, 300_000, 300_000]);
    expect(rests(0)).toEqual([500, 1000, 2000, 128_000, 150_000, 150_000]);
  });

  it('that has failed three times in a row is tried with one job, until it takes one', () => {
    expect(openSlots(rested(failed(2)), 4)).toBe(4);
    expect(openSlots(rested(failed(3)), 4)).toBe(1);
    expect(openSlots(rested(failed(9)), 4)).toBe(1);
    expect(openSlots(rested(failed(3)), 0)).toBe(0);
    expect(afterTaken(rested(failed(3)))).toEqual(CLOSED);
  });

  it('has failed once where several calls failed at a time', () => {
    const once = afterFailure(CLOSED, CLOSED, T0, 1);
    expect(afterFailure(once, CLOSED, T0 + 100, 1)).toEqual(once);
    expect(afterFailure(once, once, T0 + 100, 1).failures).toBe(2);
  });

  it('rests as long as it says, within a second and an hour, which is no failure and no proof of health', () => {
    expect(afterBusy(CLOSED, 30_000, T0)).toEqual({ failures: 0, restUntil: T0 + 30_000 });
    expect(afterBusy(CLOSED, -5, T0).restUntil).toBe(T0 + 1000);
    expect(afterBusy(CLOSED, 1e12, T0).restUntil).toBe(T0 + 3_600_000);
    expect(afterBusy(rested(failed(3)), 1000, T0).failures).toBe(3);
  });

  it('never rests less than it was going to, and a job that it took before changes nothing about that', () => {
    const long = afterBusy(CLOSED, 60_000, T0);
    expect(afterBusy(long, 1000, T0).restUntil).toBe(T0 + 60_000);
    expect(afterFailure(long, long, T0, 1).restUntil).toBe(T0 + 60_000);
    expect(afterTaken(long)).toEqual({ failures: 0, restUntil: T0 + 60_000 });
  });
});
