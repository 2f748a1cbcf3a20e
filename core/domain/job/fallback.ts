import * as z from 'zod';
import type { ErrorCode } from '../failure/codes.ts';
import type { AccountRenderer, Renderer } from '../host/need.ts';
import type { ReadAs } from '../lib/types.ts';

/**
 * The fallback of a job: the radar makes the clip if no host can play the demo in the game. It is a retry of the same
 * run, so it shares the run's time with the game, and no outcome is sent between.
 */
export const FallbackShape = z.looseObject({
  /** How long a run waits while there is no host with the game that could take it, in milliseconds. */
  waitMs: z.number(),
  /** The attempts of the run before it fell back; 0 until then. */
  attempts: z.int(),
});
export type Fallback = ReadAs<typeof FallbackShape>;

/** The part of a job that a fallback reads and changes. */
export interface FallbackState {
  readonly fallback?: Fallback | undefined;
  readonly renderer: Renderer | null;
}

/**
 * Returns the renderer of a clip: the request's, else the account's, else the deployment's. For a request with a
 * fallback, the game replaces the deployment's.
 */
export function rendererOf(
  asked: { readonly renderer?: Renderer | undefined; readonly fallback?: 'radar' | undefined },
  account: AccountRenderer | null,
  usual: Renderer,
): Renderer {
  if (account === 'cs2_only') return 'cs2';
  return asked.renderer ?? account ?? (asked.fallback ? 'cs2' : usual);
}

/** Returns the renderer and fallback of a new job. `waitMs` is null if the request asks for no fallback. */
export function withFallback(renderer: Renderer, waitMs: number | null): Required<FallbackState> {
  return { renderer, fallback: renderer === 'radar' || waitMs === null ? undefined : { waitMs, attempts: 0 } };
}

/** Returns the renderer and fallback of a new run: after a fallback, it tries the game again. */
export function needsOfNewRun({ renderer, fallback }: FallbackState): FallbackState {
  return fallback ? withFallback('cs2', fallback.waitMs) : { renderer, fallback };
}

/**
 * Returns the renderer and fallback of a job that falls back; null if it cannot. Its refused builds stay: a radar has
 * no build.
 */
export function fallBack({ fallback, renderer, attempt }: FallbackState & { attempt: number }): FallbackState | null {
  if (!fallback || renderer !== 'cs2') return null;
  return { fallback: { ...fallback, attempts: attempt }, renderer: 'radar' };
}

export function hasFallenBack({ fallback, renderer }: FallbackState): boolean {
  return fallback !== undefined && renderer === 'radar';
}

/** Returns when a run falls back if no host can take it, in milliseconds since the epoch; null if it cannot. */
export function fallbackAt({ fallback, renderer, queuedAt }: FallbackState & { queuedAt: number }): number | null {
  return fallback && renderer === 'cs2' ? queuedAt + fallback.waitMs : null;
}

/** Whether a failure means that the game cannot play the demo. */
export function isUnplayable(code: ErrorCode): boolean {
  return code === 'demo_incompatible' || code === 'workshop_not_supported';
}
