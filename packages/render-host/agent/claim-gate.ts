import type { ErrorCode } from '#domain/failure/codes.ts';
import type { HostCapabilities } from '#protocol/host/host-capabilities.ts';
import type { GameFault } from '../pipeline/render-clip.ts';

/** How a job ended, as far as it says something about the host. */
export interface JobEnd extends GameFault {
  readonly kind: string;
  readonly code?: ErrorCode;
}

/** Decides before each claim whether the host may claim. The agent reports the end of each job to it. */
export interface ClaimGate {
  /** Returns what the host can do now, or null while it must not claim. Never rejects. */
  open(capabilities: HostCapabilities): Promise<HostCapabilities | null>;
  note(end: JobEnd): void;
}

/** The gate of a host that may always claim. */
export const openGate: ClaimGate = { open: async (capabilities) => capabilities, note: () => {} };

/** Returns a gate that is open while each of the gates is. */
export function allGates(...gates: readonly ClaimGate[]): ClaimGate {
  return {
    async open(capabilities) {
      let able: HostCapabilities | null = capabilities;
      for (const gate of gates) if (able !== null) able = await gate.open(able);
      return able;
    },
    note(end) {
      for (const gate of gates) gate.note(end);
    },
  };
}

export interface BuildGateDependencies {
  /** Returns the build of the installed game. */
  readonly readBuild: () => Promise<string>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly log: { error(fields: object, message: string): void };
}

/**
 * How many faults in a row start a quarantine. Small, because each further job is probably lost, and other hosts can
 * take it.
 */
const FAILURES = 3;
/** Errors that an update of the game, or a hook for another build, can cause. */
const GAME_FAULTS: ReadonlySet<ErrorCode> = new Set(['cs2_unavailable', 'demo_incompatible']);
/**
 * The length of a quarantine. Short, because a demo may make the game fail: three of those must not keep a host away
 * for good.
 */
const QUARANTINE_MS = 30 * 60_000;

/**
 * Stops a host from claiming when an update has broken its game: the host goes into quarantine, not its jobs. A build
 * is good once it has rendered a clip in this process. A build that is not yet good, and fails three times in a row by
 * a fault of the game, claims nothing for half an hour or until the build changes. Then it gets one job as a trial.
 * Only faults of the running game count. Crashes on loading one demo count once. Any other end of a job resets the
 * count. A build that the recorder does not fit is not tried again: the host claims nothing until the build changes or
 * the host restarts. Each claim names the build.
 */
export function createBuildGate({ readBuild, now, log }: BuildGateDependencies): ClaimGate {
  let build: string | null = null;
  let isProven = false;
  let failures = 0;
  let failedAt = 0;
  /** Ids of the demos that crashed the game while it loaded them, among these failures. */
  const crashing = new Set<string>();
  let unfitBuild: string | null = null;
  return {
    async open(capabilities) {
      let current: string;
      try {
        current = await readBuild();
      } catch (error) {
        log.error({ err: error }, 'the build of the game cannot be read; this host claims no work');
        return null;
      }
      if (current !== build) {
        build = current;
        isProven = false;
        failures = 0;
        crashing.clear();
      }
      if (build === unfitBuild) {
        const next =
          'install a recorder for this build, try it with doctor --record FILE, restart, and resume this host';
        log.error({ build }, `IN QUARANTINE: the recorder does not fit this build; no work claimed: ${next}`);
        return null;
      }
      const leftMs = failedAt + QUARANTINE_MS - now();
      if (!isProven && failures >= FAILURES && leftMs > 0) {
        const next = `tried again in ${Math.ceil(leftMs / 60_000)} min, or look at the game and at HLAE and restart`;
        log.error(
          { build, failures },
          `IN QUARANTINE: this build of the game has only failed; no work claimed: ${next}`,
        );
        return null;
      }
      return { ...capabilities, game_build: build };
    },
    note({ kind, code, inGame, crashedLoading, unfitBuild: unfit }) {
      unfitBuild = unfit ?? unfitBuild;
      // An inspection does not use the game.
      if (kind === 'inspected') return;
      // As a trial, such a job counts as failed.
      if (crashedLoading !== undefined && crashing.has(crashedLoading.demo)) {
        failedAt = now();
        return;
      }
      if (kind === 'completed') isProven = true;
      const isFault = inGame === true && code !== undefined && GAME_FAULTS.has(code);
      failures = isFault ? failures + 1 : 0;
      if (!isFault) crashing.clear();
      if (crashedLoading !== undefined) crashing.add(crashedLoading.demo);
      if (isFault) failedAt = now();
    },
  };
}

export interface DiskGateDependencies {
  readonly readFree: () => Promise<number>;
  readonly minBytes: number;
  /** Deletes what is only cached. */
  readonly freeSpace?: () => Promise<void>;
  readonly log: { error(fields: object, message: string): void };
}

/**
 * Stops a host from claiming while its disk is nearly full. Otherwise it would fail job after job faster than working
 * hosts finish theirs, and use up the retries of all of them. Each claim has the free space.
 */
export function createDiskGate({ readFree, minBytes, freeSpace, log }: DiskGateDependencies): ClaimGate {
  return {
    async open(capabilities) {
      try {
        let free = await readFree();
        if (free < minBytes && freeSpace) {
          await freeSpace();
          free = await readFree();
        }
        if (free >= minBytes) return { ...capabilities, free_bytes: free };
        log.error({ free, minBytes }, 'too little space left on the disk of the work folder; this host claims no work');
      } catch (error) {
        log.error({ err: error }, 'the work folder cannot be read; this host claims no work');
      }
      return null;
    },
    note: () => {},
  };
}
