import type { Tier } from './clip.ts';
import type { Need } from './need.ts';

/** A job that waits for a host. */
export interface Offer
  extends Pick<Need, 'resolution' | 'fps'>,
    Partial<Pick<Need, 'renderer' | 'refusedBuilds' | 'labels' | 'skills'>> {
  readonly jobId: string;
  readonly accountId: string;
  readonly tier: Tier;
  /** Seconds of work, for somebody who waits: it goes before best-effort work. */
  readonly isShort?: boolean;
  /** How many of the account's reserved jobs its provisioned capacity covers at a time; null for all. */
  readonly slots: number | null;
  /** The host whose fault ended the last attempt: another one is preferred for a while. */
  readonly avoidHost?: string | null | undefined;
  /** For how many milliseconds, where there is another. */
  readonly avoidMs?: number;
  /** Names its demo: a host that has kept it is preferred. */
  readonly demoKey?: string | undefined;
}

/**
 * Whether a job goes ahead of best-effort work: a reserved one does while provisioned slots are free. Beyond them it
 * queues as best effort until one of the account's covered jobs has ended. `covered` counts the account's jobs that
 * queue or run under a slot.
 */
export function isCovered({ tier, slots }: Pick<Offer, 'tier' | 'slots'>, covered: number): boolean {
  return tier === 'reserved' && (slots === null || covered < slots);
}

/**
 * Start-time fair queueing (Goyal, Vin and Cheng, 1996): a job starts at the later of its lane's clock and the end of
 * its account's previous job, and the queue serves the smallest start first. Accounts thus take turns, and one that was
 * idle gains no credit for it. Both times are in units of cost.
 */
export function advanceTag(
  laneClock: number,
  accountEnd: number | null,
  offer: Pick<Offer, 'resolution' | 'fps'>,
): { readonly start: number; readonly next: number } {
  const start = Math.max(laneClock, accountEnd ?? 0);
  return { start, next: start + costOf(offer) };
}

/** The default share of the places that best-effort jobs of one account get while other accounts wait. */
export const USUAL_SHARE = 0.5;

/** Returns how many of the places the share is: at least one. */
export function shareOf(places: number, share: number): number {
  return Math.max(1, Math.floor(places * share));
}

/** Pixels a second relative to 1080p at 30 frames: what a job takes from everybody else's time, roughly. */
function costOf({ resolution, fps }: Pick<Offer, 'resolution' | 'fps'>): number {
  return (resolution / 1080) ** 2 * (fps / 30);
}
