import type { BuildVerdict } from '#domain/build-trust.ts';
import { reasonOf } from '#domain/reason.ts';
import type { Context } from '#http/router.ts';
import type { Service } from '#service/service.ts';
import { noteVerdict, UNKNOWN_DEMO } from '#storage/game-builds.ts';

/** The outcome of a job with a build of the game, as its host reports it. */
interface BuildOutcome {
  /** Undefined if the host reports none: then nothing is counted. */
  readonly gameBuild: string | undefined;
  /** The patch of the game that the demo names; no number if it names none. */
  readonly demoPatch: unknown;
  readonly verdict: Exclude<BuildVerdict, 'failed'>;
}

/** Counts an outcome whose report was accepted. The answer does not wait for it. A failed write is not repeated. */
export function countOutcome(
  { database, now, log }: Pick<Service, 'database' | 'now' | 'log'>,
  { waitUntil }: Pick<Context, 'waitUntil'>,
  { gameBuild, demoPatch, verdict }: BuildOutcome,
): void {
  if (gameBuild === undefined) return;
  const demoBuild = typeof demoPatch === 'number' ? `${demoPatch}` : UNKNOWN_DEMO;
  const counted = noteVerdict(database, { gameBuild, demoBuild, verdict, jobs: 1 }, now());
  waitUntil(counted.catch((error) => log('failed to count a build', { gameBuild, error: reasonOf(error) })));
}
