import { DAY_MS, isoDate } from '#domain/metering.ts';
import type { Need } from '#domain/need.ts';
import { DEFAULT_SCHEDULE } from '#domain/schedule.ts';
import { type Wait, waitOf } from '#domain/wait.ts';
import { json } from '#http/json.ts';
import { isoTime, isoTimeOrNull } from '#protocol/job-view.ts';
import { Overview, OverviewQuery } from '#protocol/operate.ts';
import { OVERVIEW } from '#protocol/operator-examples.ts';
import type { DispatcherNumbers, HostCount } from '#rpc/dispatcher.ts';
import { joinFleets } from '#service/dispatchers.ts';
import { answer, type OperationWords, operation } from '#service/operation.ts';
import type { Service } from '#service/service.ts';
import { countTroubled, type DayCount, selectDayCounts, type TroubleCounts } from '#storage/all-jobs.ts';
import { firingOf, readAlertNotes, readVitals } from '../vitals.ts';
import { maintenanceView } from './controls-get.ts';
import { readSpeed } from './speed.ts';

/** The count of failing webhooks stops here. */
const TROUBLES_COUNTED = 10_000;
/** The longest time from the creation of a webhook, which the index stores, to its last attempt. */
const GIVEN_UP_WITHIN_MS = DAY_MS + DEFAULT_SCHEDULE.webhookSpacing * (DEFAULT_SCHEDULE.webhookAttempts - 1);

type NumbersWorld = Pick<Service, 'database' | 'dispatchers'>;

export const getOverview = operation({
  route: 'GET /admin/overview',
  scope: 'operator:read',
  query: OverviewQuery,
  handler: async (service, { query }) => {
    const { days } = query();
    return json(await readOverview(service, service.now(), days));
  },
});

export const words = (): OperationWords => ({
  summary: 'Read the overview',
  command: 'overview',
  description: 'What waits, who works, what fails and what is stored. The cost does not grow with the queue.',
  answers: {
    200: answer('The overview.', Overview, OVERVIEW),
  },
});

type OverviewWorld = NumbersWorld & Pick<Service, 'settings' | 'disk' | 'controls'>;

export async function readOverview(service: OverviewWorld, now: number, days: number): Promise<Overview> {
  const { database, controls } = service;
  const [counts, notes, speed, { maintenance }] = await Promise.all([
    readCounts(service, now, days),
    readAlertNotes(database),
    readSpeed(database, now),
    controls.read(),
  ]);
  const { upkeepError, lastSent, lastError } = notes;
  const vitals = await readVitals(service, counts, { upkeepError, alertError: lastError?.error ?? null }, now);
  const { shards: _, ...shown } = counts;
  const { alertUrl } = service.settings;
  return {
    maintenance: maintenanceView(maintenance),
    firing: firingOf(vitals, notes, now),
    alerts: {
      receiver: alertUrl === null ? null : new URL(alertUrl).host,
      last_sent: isoTimeOrNull(lastSent),
      last_error: lastError && { since: isoTime(lastError.at), error: lastError.error },
    },
    ...shown,
    speed,
  };
}

/** What the dispatchers and the index have of the overview. */
export type Counts = Omit<Overview, 'firing' | 'alerts' | 'speed' | 'maintenance'> & Pick<Numbers, 'shards'>;

export async function readCounts(
  service: Omit<OverviewWorld, 'disk' | 'controls'>,
  now: number,
  days: number,
): Promise<Counts> {
  const { shards, counts, troubles } = await readNumbers(service, now);
  const today = Math.floor(now / DAY_MS);
  const stored = totalsOf(counts).clips;
  const backlogs = shards.flatMap((shard) => shard.backlogs);
  return {
    shards,
    at: isoTime(now),
    queue: (['reserved', 'metered'] as const).map((tier) => {
      const ofTier = backlogs.filter((one) => one.tier === tier);
      const oldest = Math.min(...ofTier.map(({ oldestAt }) => oldestAt ?? Number.POSITIVE_INFINITY));
      return {
        tier,
        waiting: sum(ofTier.map(({ waiting }) => waiting)),
        oldest_s: Number.isFinite(oldest) ? Math.max(0, Math.round((now - oldest) / 1000)) : null,
      };
    }),
    waits: readWaits(shards, now).map(({ need, jobs, oldestAt, wait }) => ({
      jobs,
      oldest_s: Math.max(0, Math.round((now - oldestAt) / 1000)),
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
    running: sum(shards.map(({ leased }) => leased)),
    hosts: hostsByState(shards.flatMap(({ hosts }) => hosts)),
    webhooks: troubles,
    clips: { count: stored?.count ?? 0, bytes: stored?.amount ?? 0 },
    wrong_variables: service.settings.faults.map(({ variable, problem }) => ({ variable, problem })),
    days: Array.from({ length: days }, (_, i) => dayOf(today - days + 1 + i, counts)),
  };
}

export interface Numbers {
  /** One entry per dispatcher. */
  readonly shards: readonly DispatcherNumbers[];
  readonly counts: readonly DayCount[];
  readonly troubles: TroubleCounts;
}

/** Reads the numbers of the dispatchers and the index. The cost does not depend on the number of waiting jobs. */
export async function readNumbers({ database, dispatchers }: NumbersWorld, now: number): Promise<Numbers> {
  const [shards, counts, troubles] = await Promise.all([
    dispatchers.numbers(),
    selectDayCounts(database, 0),
    countTroubled(database, now - GIVEN_UP_WITHIN_MS, TROUBLES_COUNTED),
  ]);
  return { shards, counts, troubles };
}

/** Why the jobs of one need wait. */
interface NeedWait {
  readonly need: Need;
  readonly jobs: number;
  readonly oldestAt: number;
  readonly wait: Wait;
  /** Returns how many of them are in the queue of a dispatcher. */
  readonly ofShard: (shard: number) => number;
}

/** Returns why jobs wait, by what they need, the most jobs first. Upgrades and suspended accounts are not counted. */
export function readWaits(shards: readonly DispatcherNumbers[], now: number): NeedWait[] {
  const fleet = joinFleets(shards.map((shard) => shard.fleet));
  const all = shards.flatMap(({ needs }, shard) => needs.map((one) => ({ ...one, shard })));
  const waits = [...Map.groupBy(all, ({ need }) => JSON.stringify(need))].map(([text, ofNeed]) => {
    const need: Need = JSON.parse(text);
    return {
      need,
      jobs: sum(ofNeed.map(({ waiting }) => waiting)),
      oldestAt: Math.min(...ofNeed.map(({ oldestAt }) => oldestAt ?? now)),
      wait: waitOf({ need }, fleet, now, true),
      ofShard: (asked: number) => sum(ofNeed.map(({ shard, waiting }) => (shard === asked ? waiting : 0))),
    };
  });
  return waits.sort((a, b) => b.jobs - a.jobs);
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

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
