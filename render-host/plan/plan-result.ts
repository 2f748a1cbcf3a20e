import type { ErrorCode } from '../../domain/error-codes.ts';
import type { Shot } from './shot.ts';

export interface PlanFailure {
  readonly ok: false;
  readonly code: Extract<
    ErrorCode,
    'player_not_in_demo' | 'pov_only' | 'no_kills_found' | 'segment_not_in_demo' | 'render_failed'
  >;
  readonly detail: string;
}

export type PlanResult = { readonly ok: true; readonly shots: readonly [Shot, ...Shot[]] } | PlanFailure;
