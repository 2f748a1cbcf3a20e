import type { AccountUsage, AllUsage } from '#client/operator-shapes.ts';
import { billedSeconds, DAY_MS, isoDate } from '#domain/job/metering.ts';
import { Field } from '../parts/components.tsx';
import { amount, short } from '../parts/format.ts';
import { type ChartSeries, DayChart } from './chart.tsx';
import { type ConsoleView, call, Filter, List, NameLink, Pill } from './view.tsx';

/** Pages that the view reads at most. The file has all lines. */
const PAGES = 50;

/** The bill of a span of days, by default of this month: a chart by day, and the sum of each kind. */
export const usageView: ConsoleView = async (tools, route) => {
  const today = Math.floor(Date.now() / DAY_MS);
  const query = { from: `${isoDate(today).slice(0, 8)}01`, to: isoDate(today + 1), ...route.query };
  const lines: AccountUsage[] = [];
  let page: AllUsage | undefined;
  for (let pages = 0; page?.next_cursor !== null && pages < PAGES; pages++) {
    page = await call('listUsage', { query: { ...query, ...(page && { cursor: page.next_cursor }) } });
    lines.push(...page.usage);
  }
  const file = `/admin/usage?${new URLSearchParams({ ...query, format: 'csv' })}`;
  const first = Date.parse(query.from) / DAY_MS;
  const length = Math.max(0, Math.min(400, Date.parse(query.to) / DAY_MS - first));
  const byDay = Map.groupBy(lines, ({ day }) => day);
  const days = Array.from({ length }, (_, i) => ({ day: isoDate(first + i), on: byDay.get(isoDate(first + i)) ?? [] }));
  const series = (name: AccountUsage['tier'], tone: 'blue' | 'accent'): ChartSeries<(typeof days)[number]> => {
    return { name, tone, of: ({ on }) => sumOf(on.filter(({ tier }) => tier === name)) };
  };
  return (
    <List
      title="Usage"
      intro={
        <>
          <Filter {...{ route, tools }} load={(asked) => call('listUsage', { query: { ...asked, limit: 1 } })}>
            <Field label="From" name="from" type="date" value={query.from} />
            <Field label="Before" name="to" type="date" value={query.to} />
            <Field
              {...{ label: 'Account', name: 'account', value: route.query.account, size: 20 }}
              hint={route.query.account && lines[0]?.account_name}
            />
          </Filter>
          {page?.next_cursor && <p class="wrong">Not all lines: choose fewer days, or take the CSV.</p>}
          <h2>Rendered by day</h2>
          <DayChart
            label="Rendered by day"
            unit="seconds"
            days={days}
            series={[series('metered', 'blue'), series('reserved', 'accent')]}
          />
          <h2>Sums</h2>
          <p class="hint">Of days that are open, settled (only a repair after a loss changes them) or final.</p>
        </>
      }
      {...{ route, label: 'usage', rows: sumsOf(lines), cursor: null }}
      columns={{
        Account({ account_id, account_name }) {
          if (account_name === null) return <span title={account_id}>erased {short(account_id)}</span>;
          return <NameLink to="accounts" id={account_id} name={account_name} />;
        },
        Tier: ({ tier }) => tier,
        Picture: ({ resolution, fps }) => `${resolution}p, ${fps} fps`,
        Renderer: ({ renderer }) => renderer ?? '–',
        Clips: ({ runs }) => amount(runs),
        Seconds: ({ rendered_seconds }) => amount(rendered_seconds),
        Days: ({ state }) => <Pill state={state} />,
      }}
    >
      <p>
        <a class="button" href={file} download>
          All lines as CSV
        </a>
      </p>
    </List>
  );
};

/** Adds up the lines of each account and kind. The state of a sum is that of its last day, the least settled one. */
function sumsOf(lines: readonly AccountUsage[]): AccountUsage[] {
  const kinds = Map.groupBy(lines, ({ account_id, tier, resolution, fps, renderer }) =>
    [account_id, tier, resolution, fps, renderer].join(),
  );
  return [...kinds.values()].flatMap((same) =>
    same.slice(-1).map((last) => {
      return { ...last, rendered_seconds: sumOf(same), runs: same.reduce((sum, { runs }) => sum + runs, 0) };
    }),
  );
}

function sumOf(lines: readonly AccountUsage[]): number {
  return billedSeconds(lines.reduce((sum, { rendered_seconds }) => sum + rendered_seconds, 0));
}
