import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCanvas } from '@napi-rs/canvas';
import { onTestFinished } from 'vitest';
import { useHostCanvas } from '#render-host/drawing/host-canvas.ts';
import type { FrameSource } from '#render-host/frames/frame-source.ts';
import type { Match } from '#render-host/match/match.ts';
import type { CaptureOptions, FrameContent } from '#scene/frames/clip-clock.ts';
import type { KnownMap } from '#scene/map/plates.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { createScene } from '#scene/scene.ts';

useHostCanvas();

/** A rectangle as parts of the picture's width and height. */
export interface Region {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export const WHOLE: Region = { left: 0, top: 0, right: 1, bottom: 1 };
/** The regions of the killfeed, the scoreboard, the players' panels, the title and the progress line, with a margin. */
export const TOP_RIGHT: Region = { left: 0.5, top: 0, right: 1, bottom: 0.35 };
export const TOP_MIDDLE: Region = { left: 0.28, top: 0, right: 0.72, bottom: 0.1 };
export const TEAM_CT: Region = { left: 0, top: 0.2, right: 0.21, bottom: 0.7 };
export const TEAM_T: Region = { left: 0.79, top: 0.2, right: 1, bottom: 0.7 };
export const TITLE: Region = { left: 0, top: 0.72, right: 0.33, bottom: 0.88 };
export const OWN_PANEL: Region = { left: 0, top: 0.88, right: 0.33, bottom: 0.98 };
export const PROGRESS: Region = { left: 0, top: 0.98, right: 1, bottom: 1 };

export function hashOf(frame: Uint8Array): string {
  return createHash('sha256').update(frame).digest('hex');
}

/** Returns the pixels of a region that differ between two frames by more than a rounding error. */
export function changedPixels(
  a: Uint8Array,
  b: Uint8Array,
  { width, height }: Pick<CaptureOptions, 'width' | 'height'>,
  region: Region = WHOLE,
): number {
  let changed = 0;
  for (let y = Math.floor(region.top * height); y < Math.ceil(region.bottom * height); y++) {
    for (let x = Math.floor(region.left * width); x < Math.ceil(region.right * width); x++) {
      const i = (y * width + x) * 4;
      if ([0, 1, 2].some((c) => Math.abs((a[i + c] ?? 0) - (b[i + c] ?? 0)) > 2)) changed++;
    }
  }
  return changed;
}

/** Returns the frames of a clip, drawn on this thread, because starting a thread takes a fifth of a second. */
export function paintedSource(
  match: Match,
  shots: readonly Shot[],
  options: CaptureOptions,
  known: KnownMap | null = null,
): FrameSource {
  const scene = createScene(match, shots, options, known);
  const paint = (index: number, content: FrameContent): Uint8Array => {
    const canvas = createCanvas(options.width, options.height);
    scene.paint(canvas.getContext('2d', { alpha: false }), index, content);
    return canvas.data();
  };
  return {
    frameCount: scene.frameCount,
    async *frames() {
      for (let index = 0; index < scene.frameCount; index++) yield paint(index, 'full');
    },
    frame: async (index, content = 'full') => paint(index, content),
  };
}

/** One frame of it. */
export function paintFrame(
  match: Match,
  shots: readonly Shot[],
  options: CaptureOptions,
  index: number,
  known: KnownMap | null = null,
): Uint8Array {
  const canvas = createCanvas(options.width, options.height);
  createScene(match, shots, options, known).paint(canvas.getContext('2d', { alpha: false }), index, 'full');
  return canvas.data();
}

/** Hashes of all frames of a source, in order. */
export async function allHashes(source: FrameSource): Promise<string[]> {
  const hashes: string[] = [];
  for await (const frame of source.frames(new AbortController().signal)) hashes.push(hashOf(frame));
  return hashes;
}

/**
 * Mounts a file system of `bytes` until the test ends; null if this user or platform cannot. A real full disk, because
 * quotas and faked errors are reported in other ways, by other calls.
 */
export function smallDisk(bytes: number): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tickreel-test', folder], { stdio: 'ignore' });
  } catch {
    rmdirSync(folder);
    return null;
  }
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', folder]);
    rmdirSync(folder);
  });
  return folder;
}
