import type { Failure } from '#domain/failure.ts';
import type { CaptureOptions, FrameSource, ShotSound } from '../frames/frame-source.ts';
import type { Match } from '../match/match.ts';
import type { Shot } from '../plan/shot.ts';

export interface CaptureRequest {
  readonly match: Match;
  readonly shots: readonly Shot[];
  readonly options: CaptureOptions;
  /** The decompressed demo; there until the capture has answered. */
  readonly demoPath: string;
  /** An existing, empty folder for footage. The caller removes it once the clip is encoded, or nothing came of it. */
  readonly workDir: string;
  /** A word for the account whose demo it is; null or absent where the gateway gives none. */
  readonly account?: string | null;
  readonly signal: AbortSignal;
  /** 0 to 1, of what has to happen before there are frames. */
  readonly onProgress: (fraction: number) => void;
}

export type CaptureResult =
  | {
      readonly ok: true;
      readonly source: FrameSource;
      /** Of each shot in order, or of all in one; null for a silent clip. */
      readonly sound: readonly ShotSound[] | null;
    }
  | (Failure<'cs2_unavailable' | 'demo_incompatible' | 'render_failed'> & {
      /** The game itself failed or refused, once it had been started: what may tell of this host. */
      readonly inGame?: true;
      /** With `demo_incompatible`: the build of the game that cannot play the demo, where another may. */
      readonly refusedBuild?: string;
    });

/**
 * A way to turn shots into frames. `radar` draws them from the match when they are asked for; `cs2` records the game
 * first, and its frames are read from the footage. Rejects with the signal's reason when aborted.
 */
export type Capture = (request: CaptureRequest) => Promise<CaptureResult>;
