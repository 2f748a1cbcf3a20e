import * as z from 'zod';
import type { ReadAs } from '../lib/types.ts';

/** The renderers of hosts. */
export const RENDERERS = ['radar', 'cs2'] as const;
export type Renderer = (typeof RENDERERS)[number];

/** The renderer of an account: the default of its requests. With `cs2_only`, they may not name the radar. */
export const ACCOUNT_RENDERERS = [...RENDERERS, 'cs2_only'] as const;
export type AccountRenderer = (typeof ACCOUNT_RENDERERS)[number];

/**
 * Work that not every host can do: `inspect` a demo, write its `tracks` for a replay, fetch an uploaded one
 * (`uploads`), draw another shape than 16:9 (`aspect`), or replace the `names` of players.
 */
export const SKILLS = ['inspect', 'tracks', 'uploads', 'aspect', 'names'] as const;
export type Skill = (typeof SKILLS)[number];

/** What a job requires of a host. */
export const NeedShape = z.looseObject({
  /** Shorter side of the picture in pixels. */
  resolution: z.number(),
  fps: z.number(),
  /** Null for any. */
  renderer: z.enum(RENDERERS).nullable(),
  /** Builds of the game that could not play the demo. */
  refusedBuilds: z.array(z.string()),
  /** Labels that the host must have; absent if none are required. */
  labels: z.array(z.string()).optional(),
  skills: z.array(z.string().pipe(z.custom<Skill>())).optional(),
});
export type Need = ReadAs<typeof NeedShape>;

/** What a host can do. A host that reports no renderer or build gets only jobs that require none. */
export const CapabilityShape = z.looseObject({
  maxResolution: z.number(),
  maxFps: z.number(),
  renderer: z.enum(RENDERERS).optional(),
  gameBuild: z.string().nullable().optional(),
  /** Set by the operator. */
  labels: z.array(z.string()).optional(),
  /** Skills that the host has reported; a later version may add some. */
  skills: z.array(z.string()).optional(),
});
export type Capability = ReadAs<typeof CapabilityShape>;

/** Frame rates are rounded up to these, so that a queue of a million jobs has only some dozens of needs. */
const FPS_CLASSES = [24, 25, 30, 48, 50, 60, 72, 90, 100, 120] as const;

/** Returns the class of a need in the queue. A host that can do the class can do the need. */
export function classOf(need: Need): Need {
  const fps = FPS_CLASSES.find((most) => need.fps <= most) ?? need.fps;
  const { labels, skills, ...rest } = need;
  const asked = labels && labels.length > 0 ? { labels: inOrder(labels) } : {};
  const able = skills && skills.length > 0 ? { skills: inOrder(skills) } : {};
  return { ...rest, fps, refusedBuilds: inOrder(need.refusedBuilds), ...asked, ...able };
}

function inOrder<Word extends string>(words: readonly Word[]): readonly Word[] {
  return [...new Set(words)].sort();
}

export function canDo(capability: Capability, need: Need): boolean {
  const { resolution, fps, renderer, refusedBuilds, labels = [] } = need;
  if (resolution > capability.maxResolution || fps > capability.maxFps) return false;
  if (renderer !== null && renderer !== capability.renderer) return false;
  if (!labels.every((label) => capability.labels?.includes(label))) return false;
  if (!hasSkills(capability.skills, need.skills)) return false;
  return !refusedBuilds.some((build) => build === capability.gameBuild);
}

export function hasSkills(skills: readonly string[] = [], needed: readonly Skill[] = []): boolean {
  return needed.every((skill) => skills.includes(skill));
}

/** Returns a key of the host's kind: hosts of one kind can do the same work. */
export function kindOf({ maxResolution, maxFps, renderer, gameBuild, labels = [], skills = [] }: Capability): string {
  const words = [inOrder(labels), inOrder(skills)];
  return JSON.stringify([maxResolution, maxFps, renderer ?? null, gameBuild ?? null, ...words]);
}

/**
 * Returns a number that grows with what a host can do. Work goes to the weakest host that can do it. A host with the
 * game is stronger than any host without.
 */
export function strengthOf({
  maxResolution,
  maxFps,
  renderer,
  labels = [],
}: Pick<Capability, 'maxResolution' | 'maxFps' | 'renderer' | 'labels'>): number {
  return (renderer === 'cs2' ? 1e8 : 0) + maxResolution * 1000 + maxFps + labels.length / 100;
}
