import type { ClipFacts } from '#domain/clip/clip-title.ts';
import type { Failure } from '#domain/failure/codes.ts';
import type { CaptureOptions } from '#scene/frames/clip-clock.ts';
import type { Shot } from '#scene/plan/shot.ts';
import type { FrameSource, ShotSound } from '../frames/frame-source.ts';
import type { Match } from '../match/match.ts';

export interface CaptureRequest {
  readonly match: Match;
  readonly shots: readonly Shot[];
  readonly options: CaptureOptions;
  /** The decompressed demo. It exists until the capture resolves. */
  readonly demoPath: string;
  /** An existing, empty folder for footage. The caller removes it after the clip is encoded, or after a failure. */
  readonly workDir: string;
  /** The account of the demo, as an opaque word; null or absent if the gateway gives none. */
  readonly account?: string | null;
  readonly signal: AbortSignal;
  /** 0 to 1, of the work before the first frame. */
  readonly onProgress: (fraction: number) => void;
}

export type CaptureResult =
  | {
      readonly ok: true;
      readonly source: FrameSource;
      /** One sound for each shot in order, or one for all; null for a silent clip. */
      readonly sound: readonly ShotSound[] | null;
      readonly floor?: ClipFacts['floor'];
      /** Height of the game's picture, if it was scaled up. */
      readonly filmedHeight?: number | undefined;
    }
  | (Failure<'cs2_unavailable' | 'demo_incompatible' | 'workshop_not_supported' | 'render_failed'> & GameFault);

/** A demo that crashed the game while it loaded, by its SHA-256, and whether this build has recorded another one. */
export interface LoadCrash {
  readonly demo: string;
  readonly hasRecorded: boolean;
}

export interface GameFault {
  /** The game had started, and then failed or refused: this may say something about the host. */
  readonly inGame?: true;
  /** With `demo_incompatible`: the build of the game that cannot play the demo. Another build may. */
  readonly refusedBuild?: string;
  /** With `cs2_unavailable`: the build of the game that this host's recorder does not fit. */
  readonly unfitBuild?: string;
  /** With `cs2_unavailable`: the demo that crashed the game while it loaded. */
  readonly crashedLoading?: LoadCrash;
  /** The player's account is signed in to Steam on this host, so it cannot film the player. */
  readonly ownMatch?: true;
}

/**
 * Turns shots into frames. `radar` draws them from the match on demand. `cs2` first records the game and then reads the
 * footage. Rejects with the signal's reason when aborted.
 */
export type Capture = (request: CaptureRequest) => Promise<CaptureResult>;
