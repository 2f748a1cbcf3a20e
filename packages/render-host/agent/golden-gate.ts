import type { HostCapabilities } from '#protocol/host-capabilities.ts';
import type { ClaimGate } from './claim-gate.ts';

/** The host's verdict on its build of the game; undefined without golden demos. */
export type GoldenVerdict = HostCapabilities['golden'];

export interface GoldenGateDependencies {
  /** Records the golden demos. Rejects if this machine cannot. */
  readonly record: (signal: AbortSignal) => Promise<GoldenVerdict>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Aborts the recording when the host stops. */
  readonly drain: AbortSignal;
  /** Whether the host claims nothing after a failure. True for a push host, which sends no verdict. */
  readonly closes: boolean;
  readonly log: Record<'info' | 'error', (fields: object, message: string) => void>;
}

/** How long after a failure the golden demos are recorded again. */
const AGAIN_MS = 30 * 60_000;

/**
 * Records the operator's golden demos before the first claim with a build of the game, and puts the verdict into each
 * claim. After a failure the host goes on claiming, so that the service receives the verdict and gives it no jobs. The
 * verdict is not stored: a restarted host may have another recorder.
 */
export function createGoldenGate({ record, now, drain, closes, log }: GoldenGateDependencies): ClaimGate {
  let build: string | null = null;
  let verdict: GoldenVerdict;
  let triedAt = 0;
  return {
    async open(capabilities) {
      const isDue = verdict?.passed === false && now() - triedAt >= AGAIN_MS;
      if (capabilities.game_build !== build || isDue) {
        const trial = { build: capabilities.game_build };
        log.info(trial, 'recording the golden demos with this build of the game');
        let found: GoldenVerdict;
        try {
          found = await record(drain);
        } catch (error) {
          log.error({ ...trial, err: error }, 'the golden demos cannot be recorded; this host claims no work');
          return null;
        }
        if (drain.aborted) return null;
        [build, verdict, triedAt] = [capabilities.game_build, found, now()];
        if (verdict?.passed) log.info(trial, 'the golden demos are good');
        else log.error({ ...trial, reason: verdict?.reason }, faultOf(verdict));
      }
      if (!verdict) return capabilities;
      return verdict.passed || verdict.refused || !closes ? { ...capabilities, golden: verdict } : null;
    },
    note: () => {},
  };
}

function faultOf(verdict: GoldenVerdict): string {
  if (!verdict) return 'no golden demos found';
  return verdict.refused ? 'the game refuses all golden demos: replace them by newer ones' : 'a golden demo FAILED';
}
