import { describe, expect, it } from 'vitest';
import { chosen, hostRows } from '#client/cli/host-commands.ts';
import { forPeople } from '#client/cli/output.ts';
import type { Host } from '#client/operator-shapes.ts';

const NOW = Date.parse('2026-05-04T18:31:00.000Z');
const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();

function host(overrides: Partial<Host> = {}): Host {
  return {
    host_id: 'd92b6e04-75fa-4c31-9e8d-0a3c1f7b5628',
    name: 'gpu-1',
    created_at: ago(9e5),
    revoked_at: null,
    state: 'idle',
    last_seen: ago(12),
    held_until: null,
    set_aside_until: null,
    set_aside_reason: null,
    resting_until: null,
    resting_reason: null,
    note: null,
    labels: [],
    agent_version: '1.4.0',
    renderer: 'cs2',
    game_build: '1.41.6.0',
    gpu: 'RTX 4070',
    encoder: 'h264_nvenc',
    max_film_height: null,
    max_resolution: 1440,
    max_fps: 120,
    clock_off_s: null,
    jobs: [],
    failures_24h: {},
    push: null,
    ...overrides,
  };
}
const JOB = { job_id: '3f0f8a52-6c1e-4d7b-9a64-1d2b8c5e7f90', status: 'render', progress: 0.629 } as const;

const FLEET = [
  host({ state: 'busy', jobs: [JOB], labels: ['eu', 'big'], failures_24h: { upload_error: 1, cs2_unavailable: 2 } }),
  host({ name: 'gpu-2', host_id: 'b', state: 'paused', held_until: ago(-5400), note: 'a new driver', labels: ['eu'] }),
  host({ name: 'gpu-3', host_id: 'c', state: 'set aside', set_aside_until: ago(-240), game_build: '1.42.0.0' }),
  host({
    name: 'radar',
    host_id: 'd',
    state: 'gone',
    last_seen: ago(7300),
    renderer: 'radar',
    game_build: null,
    gpu: null,
    encoder: 'libx264',
  }),
  host({
    name: 'new',
    host_id: 'e',
    state: 'gone',
    last_seen: null,
    renderer: null,
    agent_version: null,
    game_build: null,
    gpu: null,
    encoder: null,
    max_resolution: null,
    max_fps: null,
  }),
  host({ name: 'old', host_id: 'f', state: 'gone', revoked_at: ago(99), last_seen: ago(4 * 86_400) }),
];

describe('the table of hosts', () => {
  it('names a clock that is off', () => {
    const clocks = hostRows([host(), host({ clock_off_s: 90 }), host({ clock_off_s: -300 })], NOW);
    expect(clocks.map(({ clock }) => clock)).toEqual(['', '90 s ahead of ours', '300 s behind ours']);
  });

  it('shows who works, who does not, and why', () => {
    expect(`\n${forPeople({ hosts: hostRows(FLEET, NOW) })}`).toMatchInlineSnapshot(`
      "
      NAME   STATE                  SEEN      VERSION  RENDERS       WITH                  JOBS           FAILED IN 24 H                     LABELS  NOTE          HOST
      gpu-1  busy                   12 s ago  1.4.0    cs2 1.41.6.0  RTX 4070, h264_nvenc  3f0f8a52 62 %  2 cs2_unavailable, 1 upload_error  eu big                d92b6e04-75fa-4c31-9e8d-0a3c1f7b5628
      gpu-2  paused, 90 min more    12 s ago  1.4.0    cs2 1.41.6.0  RTX 4070, h264_nvenc                                                    eu      a new driver  b
      gpu-3  set aside, 4 min more  12 s ago  1.4.0    cs2 1.42.0.0  RTX 4070, h264_nvenc                                                                          c
      radar  gone                   2 h ago   1.4.0    radar         libx264                                                                                       d
      new    gone                   never                                                                                                                          e
      old    revoked                4 d ago   1.4.0    cs2 1.41.6.0  RTX 4070, h264_nvenc                                                                          f"
    `);
  });
});

describe('which hosts are meant', () => {
  it.each([
    ['an id', { host: 'b' }, ['gpu-2']],
    ['a name', { host: 'gpu-3' }, ['gpu-3']],
    ['a build, of those that are not revoked', { build: '1.41.6.0' }, ['gpu-1', 'gpu-2']],
    ['a label', { label: 'eu' }, ['gpu-1', 'gpu-2']],
  ])('by %s', (_, which, names) => {
    expect(chosen(FLEET, which).map(({ name }) => name)).toEqual(names);
  });

  it.each([
    ['nobody is named', {}, /Name one host/],
    ['two ways are', { host: 'b', build: '1' }, /Name one host/],
    ['there is none', { label: 'us' }, /no such host: us/],
    ['it is revoked', { host: 'old' }, /no such host: old/],
  ])('is refused where %s', (_, which, message) => {
    expect(() => chosen(FLEET, which)).toThrow(message);
  });

  it('is refused where two have the name', () => {
    expect(() => chosen([host(), host({ host_id: 'z' })], { host: 'gpu-1' })).toThrow(/2 hosts are called gpu-1/);
  });
});
