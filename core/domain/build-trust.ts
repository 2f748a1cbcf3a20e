/**
 * The result of a build of the game with a demo. `passed`: the demo was recorded; `refused`: the game does not play it;
 * `failed`: the recording of one of the operator's golden demos failed.
 */
export const BUILD_VERDICTS = ['passed', 'refused', 'failed'] as const;
export type BuildVerdict = (typeof BUILD_VERDICTS)[number];

/** Whether a host with a build that nobody has recorded with gets jobs. */
export const UNPROVEN_POLICIES = ['allow', 'refuse'] as const;
export type UnprovenPolicy = (typeof UNPROVEN_POLICIES)[number];

/** A host with its build of the game. */
export interface HostBuild {
  /** Null for a host without a game. */
  readonly gameBuild: string | null;
  /** The build that the host's recorder does not fit. */
  readonly unfitBuild: string | null;
  /** The host's own verdict on its build; absent if it has no golden demos. */
  readonly golden?: { readonly passed: boolean; readonly refused?: boolean | undefined } | undefined;
}

/** The verdicts on builds of the game by all hosts. */
export interface KnownBuilds {
  /** Builds that recorded a golden demo, or a client's. */
  readonly passed: ReadonlySet<string>;
  /** Builds whose recording of a golden demo failed. */
  readonly failed: ReadonlySet<string>;
  /** Builds that refused all golden demos of a host. */
  readonly refused: ReadonlySet<string>;
  /** Whether hosts with golden demos exist. They try unproven builds. */
  readonly hasGolden: boolean;
}

/**
 * Why a host with a build gets no jobs. `unfit`: its recorder does not fit the build; `failed`: its own golden demo
 * failed; `failed-elsewhere`: that of another host did; `unproven`: nobody has recorded with the build.
 */
export type BuildObjection = 'unfit' | 'failed' | 'failed-elsewhere' | 'unproven';

/**
 * Returns why a host gets no jobs with its build; null if it gets some. The host's own verdict overrides those of other
 * hosts. A build that has passed on any host is good: a host that fails with it is itself at fault.
 */
export function objectionTo(
  { gameBuild, unfitBuild, golden }: HostBuild,
  { passed, failed, refused, hasGolden }: KnownBuilds,
  unproven: UnprovenPolicy,
): BuildObjection | null {
  if (gameBuild === null) return null;
  if (gameBuild === unfitBuild) return 'unfit';
  if (golden && !golden.refused) return golden.passed ? null : 'failed';
  if (passed.has(gameBuild)) return null;
  if (failed.has(gameBuild)) return 'failed-elsewhere';
  const isTried = golden !== undefined || refused.has(gameBuild);
  return (hasGolden && !isTried) || unproven === 'refuse' ? 'unproven' : null;
}
