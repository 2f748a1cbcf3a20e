import { expect } from 'vitest';
import type { CaptureResult } from '#render-host/capture/capture.ts';
import type { Match } from '#render-host/match/match.ts';
import { type CaptureOptions, createClipClock } from '#scene/frames/clip-clock.ts';
import { playerAt } from '#scene/match/player-state.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { readPicture } from './pictures.ts';

/**
 * Reads tick and player from each frame of a recording. Returns what is wrong: frames that show another player while
 * the right one lives, or are a frame of the film and a tick or more off the clock.
 */
export async function wrongFrames(
  recorded: CaptureResult & { readonly ok: true },
  match: Match,
  shots: readonly Shot[],
  { fps, width, height }: Pick<CaptureOptions, 'fps' | 'width' | 'height'>,
  filmFps = fps,
): Promise<string[]> {
  const clock = createClipClock(shots, match.tickRate, fps);
  const wrong: string[] = [];
  const most = match.tickRate / filmFps + 1;
  let index = 0;
  for await (const frame of recorded.source.frames(new AbortController().signal)) {
    const { shotIndex, tick } = clock.at(index);
    const shot = shots[shotIndex];
    const seats = match.players[shot?.pov ?? 0]?.seats ?? [];
    const slot = seats.findLast(({ sinceTick }) => sinceTick <= tick)?.slot;
    const seen = readPicture(frame, width, height);
    const off = Math.abs((seen?.tick ?? Infinity) - tick);
    const isDead = playerAt(match, shot?.pov ?? 0, tick + most)?.alive !== true;
    if ((seen?.slot !== slot && !isDead) || off > most) {
      wrong.push(`frame ${index} of shot ${shotIndex}: ${JSON.stringify(seen)} instead of ${slot} at ${tick}`);
    }
    index++;
  }
  if (index !== clock.frameCount) wrong.push(`${index} of ${clock.frameCount} frames`);
  return wrong;
}

export async function expectTicks(
  recorded: CaptureResult,
  match: Match,
  shots: readonly Shot[],
  options: Pick<CaptureOptions, 'fps' | 'width' | 'height'>,
  filmFps = options.fps,
): Promise<void> {
  if (!recorded.ok) throw new Error(`${recorded.code}: ${recorded.detail}`);
  expect(await wrongFrames(recorded, match, shots, options, filmFps)).toEqual([]);
}
