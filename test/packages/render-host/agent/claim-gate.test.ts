import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import type { HostCapabilities } from '#protocol/host/host-capabilities.ts';
import { runAgent } from '#render-host/agent/agent.ts';
import { allGates, type ClaimGate, createBuildGate, createDiskGate, openGate } from '#render-host/agent/claim-gate.ts';
import { createGatewayClient } from '#render-host/agent/gateway-client.ts';
import { createFakeGateway } from './fake-gateway.ts';

const CAPABILITIES: HostCapabilities = {
  renderer: 'cs2',
  max_resolution: 1440,
  max_fps: 120,
  game_build: null,
  agent_version: 'test',
};
const UNAVAILABLE = { kind: 'failed', code: 'cs2_unavailable', inGame: true } as const;
const INCOMPATIBLE = { kind: 'failed', code: 'demo_incompatible', inGame: true } as const;
const MINUTE = 60_000;
const COMPLETED = { kind: 'completed' } as const;

function buildGate() {
  const installed = { build: '1.41.6.0' };
  const clock = { ms: 0 };
  const errors: string[] = [];
  const log = { error: (_fields: object, message: string) => void errors.push(message) };
  const readBuild = async (): Promise<string> => {
    if (installed.build === '') throw new Error('no steam.inf');
    return installed.build;
  };
  const gate = createBuildGate({ readBuild, now: () => clock.ms, log });
  return { clock, installed, errors, gate, isOpen: async () => (await gate.open(CAPABILITIES)) !== null };
}

describe('a host with the game', () => {
  it('claims under the build that is installed at that moment', async () => {
    const { gate, installed } = buildGate();
    expect(await gate.open(CAPABILITIES)).toEqual({ ...CAPABILITIES, game_build: '1.41.6.0' });
    installed.build = '1.41.6.1';
    expect(await gate.open(CAPABILITIES)).toMatchObject({ game_build: '1.41.6.1' });
  });

  it('stops claiming, and logs it, once a build that never rendered has failed three times in a row', async () => {
    const { gate, errors, isOpen } = buildGate();
    expect(await isOpen()).toBe(true);
    for (const end of [UNAVAILABLE, INCOMPATIBLE]) gate.note(end);
    expect(await isOpen()).toBe(true);
    gate.note(UNAVAILABLE);
    expect(await isOpen()).toBe(false);
    expect(errors).toEqual([expect.stringContaining('IN QUARANTINE')]);
  });

  it('continues after failures of a build that has rendered', async () => {
    const { gate, isOpen } = buildGate();
    await isOpen();
    gate.note(COMPLETED);
    for (let i = 0; i < 10; i++) gate.note(UNAVAILABLE);
    expect(await isOpen()).toBe(true);
  });

  it('gets one job after half an hour, and is closed again if the game fails on that one too', async () => {
    const { clock, gate, isOpen } = buildGate();
    await isOpen();
    for (let i = 0; i < 3; i++) gate.note(UNAVAILABLE);
    clock.ms += 30 * MINUTE - 1;
    expect(await isOpen()).toBe(false);
    clock.ms += 1;
    expect(await isOpen()).toBe(true);
    gate.note(UNAVAILABLE);
    expect(await isOpen()).toBe(false);
    clock.ms += 30 * MINUTE;
    expect(await isOpen()).toBe(true);
    gate.note({ kind: 'failed', code: 'demo_404' });
    for (let i = 0; i < 2; i++) gate.note(UNAVAILABLE);
    expect(await isOpen()).toBe(true);
  });

  it('does not count failures before the game starts, so that no crafted header sets hosts aside', async () => {
    const { gate, isOpen } = buildGate();
    await isOpen();
    for (const code of ['demo_incompatible', 'cs2_unavailable', 'demo_404', 'render_failed'] as const) {
      for (let i = 0; i < 3; i++) gate.note({ kind: 'failed', code });
    }
    expect(await isOpen()).toBe(true);
  });

  it.each([
    ['a clip', COMPLETED],
    ['another failure', { kind: 'failed', code: 'no_kills_found' } as const],
    ['a demo that never got to the game', { kind: 'failed', code: 'demo_incompatible' } as const],
    ['a lost lease', { kind: 'dropped' } as const],
    ['a job handed back', { kind: 'released' } as const],
  ])('resets the count after %s', async (_what, end) => {
    const { gate, isOpen } = buildGate();
    await isOpen();
    for (const each of [UNAVAILABLE, UNAVAILABLE, end, UNAVAILABLE, UNAVAILABLE]) gate.note(each);
    expect(await isOpen()).toBe(true);
  });

  it('counts a demo that crashes the game at loading once, so that one demo sets no host aside', async () => {
    const { gate, installed, isOpen } = buildGate();
    await isOpen();
    const crash = (demo: string) => gate.note({ ...UNAVAILABLE, crashedLoading: { demo, hasRecorded: false } });
    for (const demo of ['a', 'a', 'b', 'a', 'b']) crash(demo);
    expect(await isOpen()).toBe(true);
    crash('c');
    expect(await isOpen()).toBe(false);
    installed.build = '1.41.6.1';
    expect(await isOpen()).toBe(true);
    for (const demo of ['a', 'b', 'c']) crash(demo);
    expect(await isOpen()).toBe(false);
  });

  it('never claims with a build that its recorder does not fit, even one that has rendered', async () => {
    const { clock, errors, gate, installed, isOpen } = buildGate();
    await isOpen();
    gate.note(COMPLETED);
    gate.note({ ...UNAVAILABLE, unfitBuild: '1.41.6.0' });
    expect(await isOpen()).toBe(false);
    expect(errors).toEqual([expect.stringMatching(/does not fit this build.*doctor --record FILE/)]);
    clock.ms += 24 * 60 * MINUTE;
    expect(await isOpen()).toBe(false);
    installed.build = '1.41.6.1';
    expect(await isOpen()).toBe(true);
  });

  it('claims nothing while its build cannot be read', async () => {
    const { errors, installed, isOpen } = buildGate();
    installed.build = '';
    expect(await isOpen()).toBe(false);
    expect(errors).toEqual([expect.stringContaining('cannot be read')]);
    installed.build = '1.41.6.0';
    expect(await isOpen()).toBe(true);
  });
});

describe('the agent', () => {
  const run = async (gate: ClaimGate, drain: AbortController) => {
    const workDir = await mkdtemp(join(tmpdir(), 'tickreel-gate-'));
    onTestFinished(() => rm(workDir, { recursive: true, force: true }));
    const far = await createFakeGateway();
    onTestFinished(() => far.close());
    const gateway = createGatewayClient(far.url, 'tr_host_test');
    const renderClip = async () => ({ ok: false, code: 'cs2_unavailable', detail: 'the game crashed' }) as const;
    const dependencies = {
      gateway,
      renderClip,
      workDir,
      log: pino({ level: 'silent' }),
    };
    return { far, ended: runAgent({ ...dependencies, gate }, CAPABILITIES, drain.signal) };
  };

  it('claims nothing while the gate is closed, and still stops at once', async () => {
    const drain = new AbortController();
    const asked = Promise.withResolvers<void>();
    const open = async () => {
      asked.resolve();
      return null;
    };
    const { far, ended } = await run({ open, note: () => {} }, drain);
    await asked.promise;
    drain.abort();
    await ended;
    expect(far.kinds()).toEqual([]);
  });

  it('claims with the capabilities of the gate, and reports the end of the job to it', async () => {
    const drain = new AbortController();
    const ends: unknown[] = [];
    const { far, ended } = await run(
      {
        open: async (capabilities) => ({ ...capabilities, game_build: '1.41.6.0' }),
        note(end) {
          ends.push(end);
          drain.abort();
        },
      },
      drain,
    );
    await ended;
    expect(far.json('claim')[0]).toMatchObject({ capabilities: { game_build: '1.41.6.0' } });
    expect(ends).toEqual([{ kind: 'failed', code: 'cs2_unavailable', detail: 'the game crashed' }]);
  });
});

const able: HostCapabilities = { ...CAPABILITIES, renderer: 'radar' };

test('a host claims while its disk has space, and not while it is nearly full or cannot be read', async () => {
  let readFree = async () => 5000;
  const said: string[] = [];
  const log = { error: (_fields: object, message: string) => void said.push(message) };
  const gate = allGates(openGate, createDiskGate({ readFree: () => readFree(), minBytes: 1000, log }));
  expect(await gate.open(able)).toEqual({ ...able, free_bytes: 5000 });
  readFree = async () => 999;
  expect(await gate.open(able)).toBeNull();
  readFree = () => Promise.reject(new Error('gone'));
  expect(await gate.open(able)).toBeNull();
  expect(said).toHaveLength(2);
  readFree = async () => 1000;
  expect(await gate.open(able)).toEqual({ ...able, free_bytes: 1000 });
});

test('a host whose disk is nearly full deletes its cache before it stops claiming', async () => {
  let free = 999;
  let cleared = 0;
  const freeSpace = async () => {
    cleared++;
    free = 1000;
  };
  const log = { error: () => {} };
  const gate = createDiskGate({ readFree: async () => free, minBytes: 1000, freeSpace, log });
  expect(await gate.open(able)).toEqual({ ...able, free_bytes: 1000 });
  expect(await gate.open(able)).toEqual({ ...able, free_bytes: 1000 });
  expect(cleared).toBe(1);
  free = 999;
  const full = createDiskGate({ readFree: async () => free, minBytes: 1000, freeSpace: async () => {}, log });
  expect(await full.open(able)).toBeNull();
});
