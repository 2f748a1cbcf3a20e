/** What a host draws with. */
export const RENDERERS = ['radar', 'cs2'] as const;
export type Renderer = (typeof RENDERERS)[number];

/** What a job asks of a host. */
export interface Need {
  /** Height in pixels. */
  readonly resolution: number;
  readonly fps: number;
  /** Null where any will do. */
  readonly renderer: Renderer | null;
  /** Builds of the game that could not play its demo. */
  readonly refusedBuilds: readonly string[];
  /** Words that the host has to have; left out where none are asked for. */
  readonly labels?: readonly string[] | undefined;
}

/** What a host can take. Hosts that say nothing of a renderer or a build are given only what asks for none. */
export interface Capability {
  readonly maxResolution: number;
  readonly maxFps: number;
  readonly renderer?: Renderer | undefined;
  readonly gameBuild?: string | null | undefined;
  /** The operator's words for it. */
  readonly labels?: readonly string[] | undefined;
}

/** Frame rates are rounded up to these, so that a queue of a million jobs has a few dozen different needs. */
const FPS_CLASSES = [24, 25, 30, 48, 50, 60, 72, 90, 100, 120] as const;

/** The need that stands for this one in the queue: a host that can do it can do this one. */
export function classOf(need: Need): Need {
  const fps = FPS_CLASSES.find((most) => need.fps <= most) ?? need.fps;
  const { labels, ...rest } = need;
  const asked = labels && labels.length > 0 ? { labels: inOrder(labels) } : {};
  return { ...rest, fps, refusedBuilds: inOrder(need.refusedBuilds), ...asked };
}

function inOrder(words: readonly string[]): readonly string[] {
  return [...new Set(words)].sort();
}

export function canDo(capability: Capability, need: Need): boolean {
  const { resolution, fps, renderer, refusedBuilds, labels = [] } = need;
  if (resolution > capability.maxResolution || fps > capability.maxFps) return false;
  if (renderer !== null && renderer !== capability.renderer) return false;
  if (!labels.every((label) => capability.labels?.includes(label))) return false;
  const build = capability.gameBuild;
  return build === null || build === undefined || !refusedBuilds.includes(build);
}

/** Names a kind of host: those that can do the same. */
export function kindOf({ maxResolution, maxFps, renderer, gameBuild, labels = [] }: Capability): string {
  return JSON.stringify([maxResolution, maxFps, renderer ?? null, gameBuild ?? null, inOrder(labels)]);
}

/** Grows with what a host can do: work that several could do is left to the plainest of them. */
export function strengthOf({
  maxResolution,
  maxFps,
  labels = [],
}: Pick<Capability, 'maxResolution' | 'maxFps' | 'labels'>): number {
  return maxResolution * 1000 + maxFps + labels.length / 100;
}
