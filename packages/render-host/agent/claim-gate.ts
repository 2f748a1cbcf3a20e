import type { ErrorCode } from '#domain/error-codes.ts';
import type { HostCapabilities } from '#protocol/host-capabilities.ts';

/** How a job ended, as far as it tells of the host. */
export interface JobEnd {
  readonly kind: string;
  readonly code?: ErrorCode;
  /** The game itself failed or refused, once it had been started. */
  readonly inGame?: true;
}

/** Asked before every claim, and told how every job ended. */
export interface ClaimGate {
  /** What the host can do now; null while it must not claim. Never rejects. */
  open(capabilities: HostCapabilities): Promise<HostCapabilities | null>;
  note(end: JobEnd): void;
}

/** A host of which nothing can change while it runs: it may always claim. */
export const openGate: ClaimGate = { open: async (capabilities) => capabilities, note: () => {} };

/** Open while every one of the gates is. */
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
  /** The build of the game that is installed now. */
  readonly readBuild: () => Promise<string>;
  /** Milliseconds, of a clock that only goes forward. */
  readonly now: () => number;
  readonly log: { error(fields: object, message: string): void };
}

/** Chosen small: each further job is lost to a host that is likely broken, and other hosts are there to take it. */
const FAILURES = 3;
/** What a game does that its own update, or a hook not made for it, has broken. */
const GAME_FAULTS: ReadonlySet<ErrorCode> = new Set(['cs2_unavailable', 'demo_incompatible']);
/** A recording can be made so that the game fails on it: a host must not stay away for good for three of those. */
const QUARANTINE_MS = 30 * 60_000;

/**
 * Keeps a host from claiming whose game is broken by an update: the host is put in quarantine, not its jobs. A build
 * counts as good once it has rendered a clip in this process. One that has not, and fails three times in a row by the
 * game's fault, claims nothing for half an hour, or until the build changes; then it is tried with one job. Only what
 * the running game did counts: a recording that never got there says nothing of the host, and any other end of a job
 * begins the count anew. The build goes with every claim.
 */
export function createBuildGate({ readBuild, now, log }: BuildGateDependencies): ClaimGate {
  let build: string | null = null;
  let isProven = false;
  let failures = 0;
  let failedAt = 0;
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
    note({ kind, code, inGame }) {
      // The game had no part in it.
      if (kind === 'inspected') return;
      if (kind === 'completed') isProven = true;
      const isFault = inGame === true && code !== undefined && GAME_FAULTS.has(code);
      failures = isFault ? failures + 1 : 0;
      if (isFault) failedAt = now();
    },
  };
}
