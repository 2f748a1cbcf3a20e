import type { ErrorCode } from '../../domain/error-codes.ts';
import type { Shot } from './shot.ts';

export type PlanResult =
  | { readonly ok: true; readonly shots: readonly [Shot, ...Shot[]] }
  | {
      readonly ok: false;
      readonly code: Extract<
        ErrorCode,
        'player_not_in_demo' | 'no_kills_found' | 'segment_not_in_demo' | 'render_failed'
      >;
      readonly detail: string;
    };
