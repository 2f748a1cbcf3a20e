import type { JSX } from 'preact';
import type { Overview } from '#client/operator-shapes.ts';
import { span } from '#domain/lib/text.ts';
import { Button, Table } from '../parts/components.tsx';
import { amount, bytes } from '../parts/format.ts';
import { DayChart } from './chart.tsx';
import { maintenanceNote } from './controls.tsx';
import { WaitsTable } from './jobs.tsx';
import { type ConsoleView, call, Notice, Time, type ViewTools } from './view.tsx';

/** Returns where alerts are sent, and the button that tries it. */
function receiverLine({ can, run }: ViewTools, { receiver, last_sent }: Overview['alerts']): JSX.Element {
  const test = () =>
    run('The test alert has arrived.', async () => {
      const { error } = await call('testAlerts', {});
      if (error !== null) throw new Error(`The test alert was not sent: ${error}.`);
    });
  const check = () =>
    run('FACEIT gives its demos to the service.', async () => {
      const { detail } = await call('checkFaceit', {});
      if (detail !== null) throw new Error(detail);
    });
  return (
    <p>
      {receiver === null ? 'Alerts are not sent: ALERT_WEBHOOK_URL is not set. ' : `Alerts are sent to ${receiver}. `}
      {last_sent !== null && (
        <>
          The last one arrived <Time at={last_sent} />.{' '}
        </>
      )}
      {can('operate') && <Button text="Test alerts" onClick={test} />}{' '}
      {can('operate') && <Button text="Check FACEIT" onClick={check} />}
    </p>
  );
}

/** The view in which an operator looks into an alert. */
const VIEWS: Readonly<Record<string, string>> = {
  QueueStuck: '#/jobs?status=pending',
  JobsWithoutHost: '#/jobs?status=pending',
  HostsLost: '#/hosts',
  HostsSetAside: '#/hosts',
  BuildSetAside: '#/hosts',
  ClockOff: '#/hosts',
  Flood: '#/accounts',
  NoHosts: '#/hosts',
  WebhooksExhausted: '#/deliveries?trouble=exhausted',
  RunsFail: '#/jobs?status=error',
  AccountNearLimit: '#/accounts',
  DatabaseGrows: '#/accounts',
  ErasureStuck: '#/accounts',
};

/** One thing that is wrong. `help`: what to do, in Markdown. */
interface Problem {
  readonly text: string;
  readonly help: string;
  readonly since?: string | null;
  readonly view?: string | undefined;
}

export const overviewView: ConsoleView = async (tools) => {
  const overview = await call('getOverview', { query: { days: 14 } });
  const { at, firing, alerts, maintenance, queue, running, hosts, webhooks, clips, days, speed } = overview;
  const problems: Problem[] = [
    ...firing.map((one) => ({ ...one, view: VIEWS[one.alert] })),
    ...overview.wrong_variables.map(({ variable, problem }) => {
      return { text: `${variable} ${problem}`, help: 'Correct the variable and deploy again. docs/deploy.md has all.' };
    }),
  ];
  const ready = (hosts.idle ?? 0) + (hosts.busy ?? 0);
  const states = Object.entries(hosts).map(([state, count]) => `${amount(count)} ${state}`);
  const waits = queue.map(({ tier, waiting, oldest_s }): Tile => {
    const since = oldest_s === null ? 'none' : `the first for ${span(oldest_s)}`;
    return [`Waiting, ${tier}`, amount(waiting), since, `#/jobs?status=pending&tier=${tier}`];
  });
  const { p50_s, p95_s, clips_an_hour } = speed;
  const tail = p95_s === null ? 'no clip in a day' : `95 % within ${span(p95_s)}, of ${speed.clips} clips`;
  const given = `${amount(webhooks.exhausted)} exhausted`;
  const tiles: Tile[] = [
    ...waits,
    ['Running', amount(running), 'on hosts', '#/hosts'],
    ['Hosts', amount(ready), states.join(', ') || 'none yet', '#/hosts', ready === 0],
    ['Time to clip', p50_s === null ? '–' : span(p50_s), tail],
    ['Clips an hour', amount(clips_an_hour), 'in the last hour'],
    ['Webhooks failing', amount(webhooks.failing), given, '#/deliveries', webhooks.exhausted > 0],
    ['Clips stored', amount(clips.count), bytes(clips.bytes)],
  ];
  return (
    <>
      <h1>Overview</h1>
      {maintenance && maintenanceNote(tools, maintenance)}
      <Problems problems={problems} at={at} />
      <dl class="tiles">
        {tiles.map(([name, value, more, view, isBad]) => (
          <div key={name}>
            <dt>{view ? <a href={view}>{name}</a> : name}</dt>
            <dd>
              <b class={isBad ? 'bad' : ''}>{value}</b> <span>{more}</span>
            </dd>
          </div>
        ))}
      </dl>
      {overview.waits.length > 0 && <WaitsTable waits={overview.waits} />}
      <div class="charts">
        <section>
          <h2>Runs by day</h2>
          <DayChart
            label="Runs by day"
            unit="count"
            days={days}
            series={[
              { name: 'made a clip', tone: 'blue', of: ({ done }) => done },
              { name: 'failed', tone: 'bad', of: ({ failed }) => Object.values(failed).reduce((a, b) => a + b, 0) },
            ]}
          />
        </section>
        <section>
          <h2>Length of clips by day</h2>
          <DayChart
            label="Length of clips by day"
            unit="seconds"
            days={days}
            series={[{ name: 'rendered', tone: 'good', of: ({ rendered_seconds }) => rendered_seconds }]}
          />
        </section>
      </div>
      <h2>Failures by code</h2>
      <Table
        label="failures"
        rows={failuresOf(days)}
        columns={{
          Code: ({ code }) => <a href={`#/jobs?error_code=${encodeURIComponent(code)}`}>{code}</a>,
          Today: ({ today }) => amount(today),
          'In 14 days': ({ all }) => amount(all),
        }}
      />
      <h2>Alerts</h2>
      {receiverLine(tools, alerts)}
    </>
  );
};

type Tile = readonly [name: string, value: string, more: string, view?: string, isBad?: boolean];

/** Returns what is wrong, with what to do about it; a calm line if nothing is. */
function Problems({ problems, at }: { readonly problems: readonly Problem[]; readonly at: string }) {
  if (problems.length === 0) {
    return (
      <Notice title="Nothing is wrong." tone="good">
        No alert fires, as of <Time at={at} />.
      </Notice>
    );
  }
  return (
    <ul class="problems" aria-label="What is wrong">
      {problems.map(({ text, help, since, view }) => (
        <li key={text}>
          <Notice
            title={text}
            tone="bad"
            action={
              view && (
                <a class="button" href={view}>
                  Look into it
                </a>
              )
            }
          >
            {since && ['Began ', <Time key="since" at={since} />, '. ']}
            {help.split('`').map((part, i) => (i % 2 === 0 ? part : <code key={part}>{part}</code>))}
          </Notice>
        </li>
      ))}
    </ul>
  );
}

/** Counts the failures of each code: of all days and of the last day, the most frequent code first. */
function failuresOf(days: Overview['days']): { code: string; all: number; today: number }[] {
  const all = new Map<string, number>();
  for (const { failed } of days)
    for (const [code, n] of Object.entries(failed)) all.set(code, (all.get(code) ?? 0) + n);
  const today = days.at(-1)?.failed ?? {};
  const rows = [...all].map(([code, n]) => ({ code, all: n, today: today[code] ?? 0 }));
  return rows.sort((a, b) => b.all - a.all);
}
