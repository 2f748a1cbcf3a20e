import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished } from 'vitest';
import type { CaptureRequest, CaptureResult } from '#render-host/capture/capture.ts';
import { type Cs2CaptureDependencies, createCs2Capture } from '#render-host/capture/cs2/cs2-capture.ts';
import type { HlaeSettings } from '#render-host/capture/cs2/game/launch-args.ts';
import { type Ffmpeg, findFfmpeg } from '#render-host/encode/ffmpeg.ts';
import { buildOptions, buildShot } from '../../builders.ts';
import { type GameSetup, setUpGame, setUpLinuxGame, signIn, type TestDemo, writeTestDemo } from './game-setup.ts';
import { createTestTimers } from './test-timers.ts';

export const GIB = 1024 ** 3;
let ffmpeg: Ffmpeg;
export let demo: TestDemo;
beforeAll(async () => {
  ffmpeg = await findFfmpeg(process.env);
  demo = await writeTestDemo();
});

/** Small pictures, because all checks work the same in large ones. */
export const OPTIONS = buildOptions({ fps: 10, width: 160, height: 90 });
export const SHOTS = [
  buildShot({ pov: 2, startTick: 900, endTick: 1092 }),
  buildShot({ pov: 3, startTick: 300, endTick: 492 }),
];

interface Setting extends Partial<CaptureRequest> {
  /** With the plugin on Linux; else with HLAE. */
  readonly isLinux?: boolean;
  readonly modes?: string;
  readonly version?: string;
  readonly free?: (folder: string) => Promise<number>;
  readonly findFaults?: Cs2CaptureDependencies['findFaults'];
  /** Replace those of the setup. */
  readonly settings?: Partial<Omit<HlaeSettings, 'recorder'>>;
  /** The host's folder, for a host that follows another one. */
  readonly folder?: string;
  readonly pauses?: Parameters<typeof createTestTimers>[0];
  /** The Steam ID that is signed in to Steam. */
  readonly signedIn?: string | undefined;
  /** A slow program encodes the footage. */
  readonly isSlow?: boolean;
}

/** Records with the fake game. `warnings` are those of the host's log. */
export async function film(setting: Setting = {}) {
  const { isLinux, modes, version, free = async () => 100 * GIB, findFaults = async () => [], ...rest } = setting;
  const setup = isLinux ? await setUpLinuxGame(modes, version) : await setUpGame(modes, version);
  const warnings: { fields: object; message: string }[] = [];
  const log = { info: () => {}, warn: (fields: object, message: string) => void warnings.push({ fields, message }) };
  const { settings: changed, folder = setup.folder, pauses, isSlow, signedIn, ...request } = rest;
  if (signedIn !== undefined) await signIn(join(setup.settings.gameDir, '../../..'), signedIn);
  const timers = createTestTimers(pauses);
  const settings = { ...setup.settings, ...changed };
  const { capture, close } = createCs2Capture({
    settings,
    folder,
    log,
    timers,
    free,
    findFaults,
    ffmpeg: isSlow ? { path: await slowFfmpeg(setup.workDir) } : ffmpeg,
  });
  onTestFinished(close);
  const result = capture({
    match: demo.match,
    shots: SHOTS,
    options: OPTIONS,
    demoPath: demo.path,
    workDir: setup.workDir,
    signal: new AbortController().signal,
    onProgress: () => {},
    ...request,
  });
  return { setup, timers, warnings, result, close };
}

/** Returns an ffmpeg that reads its first picture late, as on a busy machine. */
async function slowFfmpeg(folder: string): Promise<string> {
  const path = join(folder, 'slow-ffmpeg');
  const lines = ['#!/bin/sh', 'case "$*" in *pipe:0*) sleep 1 ;; esac', `exec '${ffmpeg.path}' "$@"`];
  await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o755 });
  return path;
}

export const ONE = { shots: SHOTS.slice(0, 1) };
export const messages = (warnings: readonly { message: string }[]) => warnings.map(({ message }) => message);
export const faults = (warnings: readonly { fields: object }[]) =>
  warnings.flatMap(({ fields }) => ('fault' in fields ? [fields.fault] : []));

/** The facts of a demo that the game refuses. */
export const REFUSED = {
  refusedBuild: expect.stringMatching(/^[\d.]+$/),
  facts: { demo_patch: expect.any(Number), game_build: expect.stringMatching(/^[\d.]+$/) },
};

/** What a failure says of a demo that crashes a game which has recorded nothing. */
const CRASHED = { crashedLoading: { demo: expect.stringMatching(/^[0-9a-f]{64}$/), hasRecorded: false } };

export async function expectFailure(
  setup: Pick<GameSetup, 'leftovers' | 'isGameRunning'>,
  result: Promise<CaptureResult>,
  code: string,
  detail: RegExp,
  more: object = {},
): Promise<void> {
  const refused = code === 'demo_incompatible' ? REFUSED : {};
  const crashed = detail.source.includes('while it loaded the demo') ? CRASHED : {};
  const why = { inGame: true, ...refused, ...crashed, ...more };
  const expected = { ok: false, code, detail: expect.stringMatching(detail), ...why };
  expect(await result).toEqual(expected);
  expect(await setup.leftovers()).toEqual([]);
  expect(await setup.isGameRunning()).toBe(false);
}
