import type { Tier } from '#domain/account/account.ts';
import type { Need } from './need.ts';

/** A job that waits for a host. */
export interface Offer
  extends Pick<Need, 'resolution' | 'fps'>,
    Partial<Pick<Need, 'renderer' | 'refusedBuilds' | 'labels' | 'skills'>> {
  readonly jobId: string;
  readonly accountId: string;
  readonly tier: Tier;
  /** Work of a few seconds, such as an inspection. It goes before best-effort work. */
  readonly isShort?: boolean;
  /** How many reserved jobs of the account its provisioned capacity covers at a time; null for all. */
  readonly slots: number | null;
  /** The host that caused the last failure. Other hosts are preferred for `avoidMs`. */
  readonly avoidHost?: string | null | undefined;
  /** Milliseconds for which `avoidHost` is avoided, if there is another host. */
  readonly avoidMs?: number;
  /** Names the demo. A host that has it cached is preferred. */
  readonly demoKey?: string | undefined;
}

/**
 * Whether a job is covered: it is reserved, and a provisioned slot is free. Otherwise it queues as best effort until a
 * covered job of its account ends. `covered`: the account's jobs that queue or run under a slot.
 */
export function isCovered({ tier, slots }: Pick<Offer, 'tier' | 'slots'>, covered: number): boolean {
  return tier === 'reserved' && (slots === null || covered < slots);
}

/**
 * Start-time fair queueing (Goyal, Vin and Cheng, 1996). A job starts at the later of its lane's clock and the end of
 * its account's previous job; the smallest start is served first. So accounts take turns, and an idle account gains no
 * credit. Both times are in units of cost.
 */
export function advanceTag(
  laneClock: number,
  accountEnd: number | null,
  offer: Pick<Offer, 'resolution' | 'fps'>,
): { readonly start: number; readonly next: number } {
  const start = Math.max(laneClock, accountEnd ?? 0);
  // Pixels a second, relative to 1080p at 30 frames.
  const cost = (offer.resolution / 1080) ** 2 * (offer.fps / 30);
  return { start, next: start + cost };
}

/** The default share of all assigned jobs for one account's best-effort jobs while other accounts wait. */
export const USUAL_SHARE = 0.5;

/** Returns how many of the jobs the share is: at least one. */
export function shareOf(jobs: number, share: number): number {
  return Math.max(1, Math.floor(jobs * share));
}
