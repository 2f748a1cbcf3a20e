import type { PlannedShot } from '#domain/plan/plannable-match.ts';
import type { Kill } from '../match/match.ts';

export type Shot = PlannedShot<Kill>;
