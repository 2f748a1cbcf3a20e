import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { leaveOnSignals } from '#render-host/machine/stop-signals.ts';

const DRAIN_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

function leaving(drainMs = DRAIN_MS) {
  const source = new EventEmitter();
  const exit = vi.fn();
  const leave = leaveOnSignals(drainMs, source, exit);
  return {
    send: (signal: string) => void source.emit(signal, signal),
    said: () => [leave.drain.aborted, leave.stop.aborted],
    listeners: () => source.eventNames(),
    leave,
    exit,
  };
}

const AT_WORK = [false, false];
const DRAINING = [true, false];
const STOPPED = [true, true];

describe('a host that gets a signal', () => {
  it('drains at SIGTERM, and stops when its time is up', () => {
    const { send, said } = leaving();
    expect(said()).toEqual(AT_WORK);
    send('SIGTERM');
    expect(said()).toEqual(DRAINING);
    vi.advanceTimersByTime(DRAIN_MS - 1);
    expect(said()).toEqual(DRAINING);
    vi.advanceTimersByTime(1);
    expect(said()).toEqual(STOPPED);
  });

  it.each(['SIGTERM', 'SIGINT'])('stops when %s comes after SIGTERM, and ends at the third signal', (second) => {
    const { send, said, exit } = leaving();
    send('SIGTERM');
    vi.advanceTimersByTime(500);
    send(second);
    expect(said()).toEqual(STOPPED);
    expect(exit).not.toHaveBeenCalled();
    vi.advanceTimersByTime(500);
    send(second);
    expect(exit).toHaveBeenCalledOnce();
  });

  it.each([
    ['SIGTERM', DRAINING],
    ['SIGINT', STOPPED],
  ])('takes an echo of %s for the same one', (signal, expected) => {
    const { send, said, exit } = leaving();
    send(signal);
    vi.advanceTimersByTime(499);
    send(signal);
    expect(said()).toEqual(expected);
    expect(exit).not.toHaveBeenCalled();
  });

  it('stops at once where it may not take time to drain', () => {
    const { send, said } = leaving(0);
    send('SIGTERM');
    expect(said()).toEqual(STOPPED);
  });

  it.each(['SIGINT', 'disconnect'])('stops at once at %s', (signal) => {
    const { send, said } = leaving();
    send(signal);
    expect(said()).toEqual(STOPPED);
  });

  it('stops listening after its end', () => {
    const { leave, listeners } = leaving();
    leave.end();
    expect(listeners()).toEqual([]);
  });
});
