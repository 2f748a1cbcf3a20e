import type { Service } from '../service.ts';

/** What a run of a rule needs to go on. */
export type RuleWorld = Pick<
  Service,
  'job' | 'clipIds' | 'database' | 'limits' | 'settings' | 'now' | 'controls' | 'log'
>;

/** Takes the open runs of an upload as far as they can go now. Never rejects. Repeatable, also at the same time. */
export async function advanceRuns(_service: RuleWorld, _uploadId: string): Promise<void> {}
