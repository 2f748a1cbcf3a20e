import type { Failure } from '#domain/failure.ts';
import type { Shot } from './shot.ts';

export type PlanFailure = Failure<
  'player_not_in_demo' | 'pov_only' | 'no_kills_found' | 'segment_not_in_demo' | 'render_failed'
>;

export type PlanResult = { readonly ok: true; readonly shots: readonly [Shot, ...Shot[]] } | PlanFailure;
