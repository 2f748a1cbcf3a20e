import type { Overview } from '#client/operator-shapes.ts';
import { Table } from '../components.tsx';
import { receiverLine } from './alerts.tsx';
import { DayChart } from './chart.tsx';
import { amount, bytes, span } from './format.ts';
import { call } from './operator.ts';
import type { ConsoleView } from './view.tsx';

export const overviewView: ConsoleView = async (tools) => {
  const { queue, running, hosts, webhooks, clips, days, wrong_variables, alerts } = await call('getOverview', {
    query: { days: 14 },
  });
  const seconds = days.reduce((sum, { rendered_seconds }) => sum + rendered_seconds, 0);
  const states = Object.entries(hosts).map(([state, count]) => `${amount(count)} ${state}`);
  const waits = queue.map(({ tier, waiting, oldest_s }) => {
    return [`Waiting, ${tier}`, amount(waiting), oldest_s === null ? 'none' : `the first for ${span(oldest_s)}`];
  });
  const tiles = [
    ...waits,
    ['Running', amount(running), 'on hosts'],
    ['Hosts', amount((hosts.idle ?? 0) + (hosts.busy ?? 0)), states.join(', ') || 'none yet'],
    ['Webhooks failing', amount(webhooks.failing), `${amount(webhooks.exhausted)} exhausted`],
    ['Clips stored', amount(clips.count), bytes(clips.bytes)],
    ['Rendered in 14 days', span(seconds), 'of clip'],
  ];
  return (
    <>
      <h1>Overview</h1>
      <dl class="tiles">
        {tiles.map(([name, value, more]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <b>{value}</b> <span>{more}</span>
            </dd>
          </div>
        ))}
      </dl>
      {wrong_variables.length > 0 && (
        <Table
          label="wrong variables"
          rows={wrong_variables}
          columns={{ 'Wrong variable': ({ variable }) => <code>{variable}</code>, Problem: ({ problem }) => problem }}
        />
      )}
      {receiverLine(tools, alerts)}
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
    </>
  );
};

/** Counts the failures of each code: of all days and of the last day, the most frequent code first. */
function failuresOf(days: Overview['days']): { code: string; all: number; today: number }[] {
  const all = new Map<string, number>();
  for (const { failed } of days)
    for (const [code, n] of Object.entries(failed)) all.set(code, (all.get(code) ?? 0) + n);
  const today = days.at(-1)?.failed ?? {};
  const rows = [...all].map(([code, n]) => ({ code, all: n, today: today[code] ?? 0 }));
  return rows.sort((a, b) => b.all - a.all);
}
