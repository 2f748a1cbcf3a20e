import { isUnservable } from '#domain/wait.ts';
import type { DiskState } from '#protocol/disk-state.ts';
import type { DispatcherNumbers } from '#rpc/dispatcher.ts';
import { ATTEMPT_OUTCOMES } from '#service/isolate-tally.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { type JobSums, selectJobSums } from '#storage/account-sums.ts';
import { type Erasing, selectErasing } from '#storage/erasure.ts';
import { readCursor } from '#storage/upkeep.ts';
import { UPKEEP_DONE } from '../upkeep.ts';
import { clocksOff, readAlertNotes } from '../vitals.ts';
import { type Family, OPEN_METRICS, openMetrics, type Sample } from './open-metrics.ts';
import { codeOf, type Numbers, readNumbers, readWaits, totalsOf } from './overview.ts';

/** docs/operate.md lists the metrics. */
export const getMetrics = operation({
  route: 'GET /metrics',
  scope: 'monitor',
  handler: async (service) => {
    const [numbers, sums, upkeepDone, [erasing], notes, purges, disk] = await Promise.all([
      readNumbers(service, service.now()),
      selectJobSums(service.database),
      readCursor(service.database, UPKEEP_DONE),
      selectErasing(service.database, service.now(), undefined, 1),
      readAlertNotes(service.database),
      service.settings.purge ? service.purges().waiting() : 0,
      service.disk.state(),
    ]);
    const facts = { ...numbers, ...sums, purges, erasing, areAlertsUnsent: notes.lastError !== null };
    const families = familiesOf(facts, service.now(), Number(upkeepDone ?? 0));
    const text = openMetrics([...families, ...diskFamilies(disk, service.settings.diskReserve)]);
    return new Response(text, { headers: { 'Content-Type': OPEN_METRICS, 'Cache-Control': 'no-store' } });
  },
});

export const words = (): OperationWords => ({
  summary: 'Scrape the metrics',
  description: 'OpenMetrics, as Prometheus reads them. The cost does not grow with the queue.',
  answers: { 200: { description: 'The metrics.', content: { types: ['application/openmetrics-text'] } } },
});

/** These are only of a stack. */
function diskFamilies(disk: DiskState | null, reserve: number): Family[] {
  const gauge = (name: string, help: string, value: number | undefined): Family => {
    return { name: `tickreel_${name}`, type: 'gauge', help, samples: value === undefined ? [] : [[{}, value]] };
  };
  return [
    gauge('disk_free_bytes', 'Free bytes of the disk with the data.', disk?.freeBytes),
    gauge('disk_reserve_bytes', 'Bytes of it below which nothing more is taken in.', disk ? reserve : undefined),
    gauge(
      'backup_done_seconds',
      'When the newest backup was made, since the epoch; 0 for none.',
      disk?.backups ? disk.backups.doneAt / 1000 : undefined,
    ),
  ];
}

function familiesOf(
  {
    shards,
    counts,
    troubles,
    bytes,
    accounts,
    purges,
    erasing,
    areAlertsUnsent,
  }: Numbers & JobSums & { purges: number; erasing: Erasing | undefined; areAlertsUnsent: boolean },
  now: number,
  upkeepDone: number,
): Family[] {
  const unservable = readWaits(shards, now).filter(({ wait }) => isUnservable(wait));
  const totals = Object.entries(totalsOf(counts));
  const { done, clips } = Object.fromEntries(totals);
  const failed = totals.flatMap(([name, total]): Sample[] => {
    const code = codeOf(name);
    return code === null || !total ? [] : [[{ outcome: 'error', code }, total.count]];
  });
  const ofShards = (samples: (shard: DispatcherNumbers) => readonly Sample[]): Sample[] =>
    shards.flatMap((numbers, shard) =>
      samples(numbers).map(([labels, value]): Sample => [{ shard, ...labels }, value]),
    );
  const byShard = (value: (shard: DispatcherNumbers) => number) => ofShards((shard) => [[{}, value(shard)]]);
  const gauge = (name: string, help: string, samples: readonly Sample[]): Family => {
    return { name: `tickreel_${name}`, type: 'gauge', help, samples };
  };
  const counter = (name: string, help: string, samples: readonly Sample[]): Family => {
    return { name: `tickreel_${name}`, type: 'counter', help, samples };
  };
  return [
    gauge(
      'jobs_waiting',
      'Jobs that wait for a host.',
      ofShards(({ backlogs }) => backlogs.map(({ tier, waiting }) => [{ tier }, waiting])),
    ),
    gauge(
      'queue_oldest_seconds',
      'For how long the first of them has waited, to ten seconds; 0 where none does.',
      ofShards(({ backlogs }) =>
        backlogs.map(({ tier, oldestAt }) => [{ tier }, oldestAt === null ? 0 : Math.max(0, now - oldestAt) / 1000]),
      ),
    ),
    gauge(
      'jobs_unservable',
      'Jobs that wait, and that none of the present hosts can take.',
      shards.map((_, shard) => [{ shard }, unservable.reduce((jobs, { ofShard }) => jobs + ofShard(shard), 0)]),
    ),
    gauge(
      'jobs_running',
      'Jobs that hosts work on.',
      byShard(({ leased }) => leased),
    ),
    gauge(
      'hosts',
      'Hosts that called within a day, by state and build.',
      ofShards(({ hosts }) => hosts.map(({ state, build, count }) => [{ state, build }, count])),
    ),
    gauge(
      'hosts_clock_off',
      'Those of them that call now with a clock that is off by over a minute.',
      byShard(({ hosts }) => clocksOff(hosts)),
    ),
    gauge(
      'account_refusals',
      "Requests that an account's limits refused within ten minutes, of the ten accounts with the most.",
      ofShards(({ refused }) => refused.map(({ accountId, count }) => [{ account: accountId }, count])),
    ),
    counter(
      'claims',
      'Jobs that were handed to a host.',
      byShard(({ suggested }) => suggested),
    ),
    counter(
      'attempts_started',
      'Of these: the host has begun.',
      byShard(({ started }) => started),
    ),
    counter(
      'grants_unconfirmed',
      'Of these: no host has begun.',
      byShard(({ unconfirmed }) => unconfirmed),
    ),
    counter(
      'leases_expired',
      'Attempts whose host fell silent, or took too long.',
      byShard(({ expired }) => expired),
    ),
    counter(
      'attempts_ended',
      'Attempts that ended, by the code that they failed with; none for a clip.',
      ofShards(({ ended }) => Object.entries(ended).map(([code, count]) => [{ code }, count])),
    ),
    counter(
      'webhook_attempts',
      'Attempts to deliver webhooks, by outcome.',
      ofShards(({ webhooks }) => ATTEMPT_OUTCOMES.map((outcome) => [{ outcome }, webhooks[outcome]])),
    ),
    gauge(
      'event_streams',
      'Streams of server-sent events that are open, to a minute.',
      byShard(({ followers }) => followers),
    ),
    counter('runs_finished', 'Runs of jobs by outcome and code.', [
      [{ outcome: 'done', code: '' }, done?.count ?? 0],
      ...failed,
    ]),
    counter('rendered_seconds', 'Seconds of clip that were rendered.', [[{}, done?.amount ?? 0]]),
    gauge('clips', 'Clips that can be played.', [[{}, clips?.count ?? 0]]),
    gauge('clip_bytes', 'Bytes of their files.', [[{}, clips?.amount ?? 0]]),
    gauge(
      'webhooks_failing',
      'Jobs whose last webhook has not arrived; the count stops at 10,000.',
      (['failing', 'exhausted'] as const).map((state) => [{ state }, troubles[state]]),
    ),
    gauge('database_bytes', 'Bytes of the database.', [[{}, bytes]]),
    gauge('jobs_kept', 'Jobs in the database, inspections included.', [
      [{}, accounts.reduce((sum, { jobs }) => sum + jobs, 0)],
    ]),
    gauge('webhooks_given_up', 'Exhausted webhooks that were given up within the last day.', [[{}, troubles.given_up]]),
    gauge('purges_waiting', 'Purges of caches that wait; the count stops at 10,000.', [[{}, purges]]),
    gauge('erasure_oldest_seconds', 'How long the oldest unfinished erasure has lasted; 0 for none.', [
      [{}, erasing ? (now - erasing.at) / 1000 : 0],
    ]),
    gauge('alerts_unsent', 'Whether alerts could not be sent at the last attempt: 1 or 0.', [
      [{}, Number(areAlertsUnsent)],
    ]),
    gauge('upkeep_done_seconds', 'When the last upkeep without a failure ended, since the epoch; 0 for never.', [
      [{}, upkeepDone / 1000],
    ]),
  ];
}
