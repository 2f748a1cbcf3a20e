import { expect, test } from 'vitest';
import type { HostCapabilities } from '#protocol/host-capabilities.ts';
import { allGates, createDiskGate, openGate } from '#render-host/agent/claim-gate.ts';

const able: HostCapabilities = {
  ...{ renderer: 'radar', max_resolution: 1440, max_fps: 120, game_build: null, agent_version: 'test' },
};

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
