import { isUnservable } from '#domain/host/wait.ts';
import { type DiskState, EARLY } from '#protocol/operate/controls.ts';
import { diskFull } from '#service/lib/admission.ts';
import { ATTEMPT_OUTCOMES } from '#service/lib/isolate-tally.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { codeOf, type Numbers, readNumbers, readWaits, totalsOf } from '#service/operate/numbers.ts';
import { clocksOff, readAlertNotes } from '#service/operate/vitals.ts';
import { type JobSums, selectAccountsNearLimit, selectJobSums } from '#storage/job/retention.ts';
import { type Erasing, selectErasing } from '#storage/operate/erasure.ts';
import { readCursor, UPKEEP_DONE } from '#storage/operate/upkeep.ts';

/** Numbers of one name, distinguished by their labels. */
interface Family {
  /** Without `_total`, which only the lines of counters have. */
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  readonly samples: readonly Sample[];
}

type Sample = readonly [labels: Readonly<Record<string, string | number>>, value: number];

const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/**
 * Formats metrics for Prometheus. https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md
 */
function openMetrics(families: readonly Family[]): string {
  return `${families.map(familyText).join('')}# EOF\n`;
}

function familyText({ name, type, help, samples }: Family): string {
  const suffix = type === 'counter' ? '_total' : '';
  const lines = samples.map(([labels, value]) => `${name}${suffix}${labelText(labels)} ${value}\n`);
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelText(labels: Sample[0]): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(String(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}

/** docs/operate.md lists the metrics. */
export const getMetrics = operation({
  route: 'GET /metrics',
  scope: 'monitor',
  handler: async (service) => {
    const [numbers, sums, nearLimit, upkeepDone, [erasing], notes, purges, disk] = await Promise.all([
      readNumbers(service, service.now()),
      selectJobSums(service.database),
      selectAccountsNearLimit(service.database, service.settings.limits),
      readCursor(service.database, UPKEEP_DONE),
      selectErasing(service.database, service.now(), undefined, 1),
      readAlertNotes(service.database),
      service.settings.purge ? service.purges().waiting() : 0,
      service.disk.state(),
    ]);
    const facts = {
      ...numbers,
      ...sums,
      nearLimit: nearLimit.filter(({ isTest }) => !isTest).length,
      purges,
      erasing,
      areAlertsUnsent: notes.lastError !== null,
    };
    const families = familiesOf(facts, service.now(), Number(upkeepDone ?? 0));
    const text = openMetrics([...families, ...diskFamilies(disk, service.settings.diskReserve)]);
    return new Response(text, { headers: { 'Content-Type': OPEN_METRICS, 'Cache-Control': 'no-store' } });
  },
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
    numbers,
    counts,
    troubles,
    bytes,
    accounts,
    nearLimit,
    purges,
    erasing,
    areAlertsUnsent,
  }: Numbers & JobSums & { nearLimit: number; purges: number; erasing: Erasing | undefined; areAlertsUnsent: boolean },
  now: number,
  upkeepDone: number,
): Family[] {
  const unservable = readWaits(numbers, now).filter(({ wait }) => isUnservable(wait));
  const totals = Object.entries(totalsOf(counts));
  const { done, clips } = Object.fromEntries(totals);
  const failed = totals.flatMap(([name, total]): Sample[] => {
    const code = codeOf(name);
    return code === null || !total ? [] : [[{ outcome: 'error', code }, total.count]];
  });
  const gauge = (name: string, help: string, samples: readonly Sample[]): Family => {
    return { name: `tickreel_${name}`, type: 'gauge', help, samples };
  };
  const counter = (name: string, help: string, samples: readonly Sample[]): Family => {
    return { name: `tickreel_${name}`, type: 'counter', help, samples };
  };
  return [
    gauge(
      'jobs_waiting',
      'Number of jobs that wait for a host.',
      numbers.backlogs.map(({ tier, waiting }) => [{ tier }, waiting]),
    ),
    gauge(
      'queue_oldest_seconds',
      'For how long the first of them has waited, to ten seconds; 0 where none does.',
      numbers.backlogs.map(({ tier, oldestAt }) => [
        { tier },
        oldestAt === null ? 0 : Math.max(0, now - oldestAt) / 1000,
      ]),
    ),
    gauge('jobs_unservable', 'Jobs that wait, and that none of the present hosts can take.', [
      [{}, unservable.reduce((jobs, { waiting }) => jobs + waiting, 0)],
    ]),
    gauge('jobs_running', 'Number of jobs that hosts work on.', [[{}, numbers.leased]]),
    gauge(
      'hosts',
      'Hosts that called within a day, by state and build.',
      numbers.hosts.map(({ state, build, count }) => [{ state, build }, count]),
    ),
    gauge('hosts_clock_off', 'Those of them that call now with a clock that is off by over a minute.', [
      [{}, clocksOff(numbers.hosts)],
    ]),
    gauge(
      'account_refusals',
      "Requests that an account's limits refused within ten minutes, of the ten accounts with the most.",
      numbers.refused.map(({ accountId, count }) => [{ account: accountId }, count]),
    ),
    counter('claims', 'Jobs that were handed to a host.', [[{}, numbers.suggested]]),
    counter('attempts_started', 'Of these: the host has begun.', [[{}, numbers.started]]),
    counter('grants_unconfirmed', 'Of these: no host has begun.', [[{}, numbers.unconfirmed]]),
    counter('leases_expired', 'Attempts whose host fell silent, or took too long.', [[{}, numbers.expired]]),
    counter(
      'attempts_ended',
      'Attempts that ended, by the code that they failed with; none for a clip.',
      Object.entries(numbers.ended).map(([code, count]) => [{ code }, count]),
    ),
    counter(
      'webhook_attempts',
      'Attempts to deliver webhooks, by outcome.',
      ATTEMPT_OUTCOMES.map((outcome) => [{ outcome }, numbers.webhooks[outcome]]),
    ),
    gauge('event_streams', 'Streams of server-sent events that are open, to a minute.', [[{}, numbers.followers]]),
    counter('runs_finished', 'Runs of jobs by outcome and code.', [
      [{ outcome: 'done', code: '' }, done?.count ?? 0],
      ...failed,
    ]),
    counter('rendered_seconds', 'Seconds of clip that were rendered.', [[{}, done?.amount ?? 0]]),
    gauge('clips', 'Number of clips that can be played.', [[{}, clips?.count ?? 0]]),
    gauge('clip_bytes', 'Size of their files in bytes.', [[{}, clips?.amount ?? 0]]),
    gauge(
      'webhooks_failing',
      'Jobs whose last webhook has not arrived. Each count stops at 10,000.',
      (['failing', 'exhausted'] as const).map((state) => [{ state }, troubles[state]]),
    ),
    gauge('database_bytes', 'Bytes of the database.', [[{}, bytes]]),
    gauge('jobs_kept', 'Jobs in the database, inspections included.', [
      [{}, accounts.reduce((sum, { jobs }) => sum + jobs, 0)],
    ]),
    gauge('accounts_near_limit', 'Accounts with over nine tenths of jobs_kept or jobs_mib.', [[{}, nearLimit]]),
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

/** Not for the health check of a proxy: viewers can still watch while this answers 503. */
export const health = operation({
  route: 'GET /healthz',
  scope: 'public',
  handler: async ({ disk, controls }) => {
    if (!(await disk.hasSpace(EARLY))) throw diskFull();
    const { maintenance } = await controls.read();
    return new Response(maintenance ? `ok, under maintenance: ${maintenance.reason}\n` : 'ok\n', {
      headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
    });
  },
});

export const words = (): Words => ({
  getMetrics: {
    summary: 'Scrape the metrics',
    description: 'Returns the metrics as OpenMetrics, which Prometheus reads. The cost does not grow with the queue.',
    answers: {
      200: {
        description: 'The metrics as OpenMetrics text.',
        content: { types: ['application/openmetrics-text'] },
      },
    },
  },
  health: {
    tag: 'Viewing',
    summary: 'Check the health of the service',
    description:
      'Checks the service for a monitor. On one machine it answers 503 before the disk is full (`DISK_RESERVE_MIB`).',
    answers: { 200: { description: 'The service works normally.', content: { types: ['text/plain'] } } },
    problems: ['unavailable'],
  },
});
