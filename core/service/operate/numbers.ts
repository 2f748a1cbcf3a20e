import { type Wait, waitOf } from '#domain/host/wait.ts';
import { DAY_MS, isoDate } from '#domain/job/metering.ts';
import { DEFAULT_SCHEDULE } from '#domain/job/schedule.ts';
import { isoTime, isoTimeOrNull } from '#protocol/lib/shapes.ts';
import type { Overview } from '#protocol/operate/operate.ts';
import type { DispatcherNumbers, HostCount, NeedBacklog } from '#rpc/dispatcher.ts';
import type { Service } from '#service/lib/service.ts';
import type { Database } from '#storage/lib/database.ts';
import { countTroubled, type DayCount, selectDayCounts, type TroubleCounts } from '#storage/operate/all-jobs.ts';
import { type MadeClip, selectMadeClips } from '#storage/operate/find.ts';

/** The count of failing webhooks stops here. */
const TROUBLES_COUNTED = 10_000;

/** The longest time from the creation of a webhook, which the index stores, to its last attempt. */
const GIVEN_UP_WITHIN_MS = DAY_MS + DEFAULT_SCHEDULE.webhookSpacing * (DEFAULT_SCHEDULE.webhookAttempts - 1);

type NumbersService = Pick<Service, 'database' | 'dispatcher'>;

export type OverviewService = NumbersService & Pick<Service, 'settings' | 'disk' | 'controls'>;

/** What the dispatcher and the index have of the overview. */
export type Counts = Omit<Overview, 'firing' | 'alerts' | 'speed' | 'maintenance'> & Pick<Numbers, 'numbers'>;

export async function readCounts(
  service: Omit<OverviewService, 'disk' | 'controls'>,
  now: number,
  days: number,
): Promise<Counts> {
  const { numbers, counts, troubles } = await readNumbers(service, now);
  const today = Math.floor(now / DAY_MS);
  const stored = totalsOf(counts).clips;
  return {
    numbers,
    at: isoTime(now),
    queue: numbers.backlogs.map(({ tier, waiting, oldestAt }) => ({
      tier,
      waiting,
      oldest_s: oldestAt === null ? null : secondsSince(oldestAt, now),
    })),
    waits: readWaits(numbers, now).map(({ need, waiting, oldestAt, wait }) => ({
      jobs: waiting,
      oldest_s: secondsSince(oldestAt ?? now, now),
      ...wait,
      until: isoTimeOrNull(wait.until),
      needs: {
        resolution: need.resolution,
        fps: need.fps,
        renderer: need.renderer,
        labels: [...(need.labels ?? [])],
        skills: [...(need.skills ?? [])],
        refused_builds: [...need.refusedBuilds],
      },
    })),
    running: numbers.leased,
    hosts: hostsByState(numbers.hosts),
    webhooks: troubles,
    clips: { count: stored?.count ?? 0, bytes: stored?.amount ?? 0 },
    wrong_variables: service.settings.faults.map(({ variable, problem }) => ({ variable, problem })),
    days: Array.from({ length: days }, (_, i) => dayOf(today - days + 1 + i, counts)),
  };
}

export interface Numbers {
  readonly numbers: DispatcherNumbers;
  readonly counts: readonly DayCount[];
  readonly troubles: TroubleCounts;
}

/** Reads the numbers of the dispatcher and the index. The cost does not depend on the number of waiting jobs. */
export async function readNumbers({ database, dispatcher }: NumbersService, now: number): Promise<Numbers> {
  const [numbers, counts, troubles] = await Promise.all([
    dispatcher().numbers(),
    selectDayCounts(database, 0),
    countTroubled(database, now - GIVEN_UP_WITHIN_MS, TROUBLES_COUNTED),
  ]);
  return { numbers, counts, troubles };
}

/** Returns why jobs wait, by what they need, the most jobs first. Suspended accounts are not counted. */
export function readWaits(
  { needs, fleet }: Pick<DispatcherNumbers, 'needs' | 'fleet'>,
  now: number,
): (NeedBacklog & { readonly wait: Wait })[] {
  const waits = needs.map((ofNeed) => ({ ...ofNeed, wait: waitOf({ need: ofNeed.need }, fleet, now, true) }));
  return waits.sort((a, b) => b.waiting - a.waiting);
}

/** Sums counts over all days, by name. */
export function totalsOf(counts: readonly DayCount[]): Record<string, { count: number; amount: number } | undefined> {
  const totals: Record<string, { count: number; amount: number }> = {};
  for (const { name, count, amount } of counts) {
    const before = totals[name] ?? { count: 0, amount: 0 };
    totals[name] = { count: before.count + count, amount: before.amount + amount };
  }
  return totals;
}

function dayOf(day: number, counts: readonly DayCount[]): Overview['days'][number] {
  const { done, ...others } = totalsOf(counts.filter((one) => one.day === day));
  const failed = Object.entries(others).flatMap(([name, total]) => {
    const code = codeOf(name);
    return code === null || !total ? [] : [[code, total.count] as const];
  });
  return {
    day: isoDate(day),
    done: done?.count ?? 0,
    rendered_seconds: done?.amount ?? 0,
    failed: Object.fromEntries(failed),
  };
}

/** Returns the error code in the name of a count of failures; null for other counts. */
export function codeOf(name: string): string | null {
  return name.startsWith('error ') ? name.slice('error '.length) : null;
}

function hostsByState(hosts: readonly HostCount[]): Record<string, number> {
  const byState: Record<string, number> = {};
  for (const { state, count } of hosts) byState[state] = (byState[state] ?? 0) + count;
  return byState;
}

function secondsSince(at: number, now: number): number {
  return Math.max(0, Math.round((now - at) / 1000));
}

const MINUTE_MS = 60_000;

const HOUR_MS = 60 * MINUTE_MS;

/** The most clips that are read. */
const CLIPS = 200;

type Speed = Overview['speed'];

const known = new WeakMap<Database, { readonly at: number; readonly speed: Speed }>();

/** Returns how fast clips are made. Reads it once a minute, because a console asks every five seconds. */
export async function readSpeed(database: Database, now: number): Promise<Speed> {
  const before = known.get(database);
  if (before && now - before.at < MINUTE_MS) return before.speed;
  const speed = speedOf(await selectMadeClips(database, now - DAY_MS, CLIPS), now);
  known.set(database, { at: now, speed });
  return speed;
}

/** `made`: the latest first. */
function speedOf(made: readonly MadeClip[], now: number): Speed {
  const inHour = made.filter(({ renderedAt }) => renderedAt > now - HOUR_MS);
  const isPart = inHour.length === CLIPS;
  const span = isPart ? Math.max(1, now - (inHour.at(-1)?.renderedAt ?? 0)) : HOUR_MS;
  const first = made.filter(({ isFirst }) => isFirst === 1);
  const seconds = first.map(({ submittedAt, renderedAt }) => (renderedAt - submittedAt) / 1000).sort((a, b) => a - b);
  const percentile = (share: number) => seconds[Math.ceil(seconds.length * share) - 1] ?? null;
  return {
    clips_an_hour: Math.round((inHour.length * HOUR_MS) / span),
    p50_s: percentile(0.5),
    p95_s: percentile(0.95),
    clips: first.length,
  };
}
