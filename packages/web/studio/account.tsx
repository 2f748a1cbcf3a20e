import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { OwnKey, Tickreel, UploadSummary, UsageLine } from '#client/index.ts';
import { billedSeconds, DAY_MS, isoDate } from '#domain/job/metering.ts';
import { csvRow } from '#protocol/lib/text-formats.ts';
import { Field, Form, Table } from '../parts/components.tsx';
import { amount } from '../parts/format.ts';
import { AccountKeys } from './account-keys.tsx';
import { Receivers } from './receivers.tsx';
import { Rules } from './rules.tsx';
import { Trouble } from './sign-in.tsx';

/** Days from the first to the last, both included, and what was rendered on them; null until that is known. */
interface Span {
  readonly from: string;
  readonly to: string;
  readonly lines: readonly UsageLine[] | null;
}

/** Shows what was rendered on each day (UTC) of a span, by default of this month, and saves it as CSV. */
function AccountUsage({ client }: { readonly client: Tickreel }): JSX.Element {
  const today = isoDate(Math.floor(Date.now() / DAY_MS));
  const [{ from, to, lines }, setSpan] = useState<Span>({ from: `${today.slice(0, 8)}01`, to: today, lines: null });
  const [trouble, setTrouble] = useState<unknown>(null);
  const load = async (days: Pick<Span, 'from' | 'to'>) => {
    const query = { from: `${days.from}T00:00:00Z`, to: `${days.to}T23:59:59Z`, include: 'renderer,day' };
    setSpan({ ...days, lines: (await client.usage(query)).usage });
    setTrouble(null);
  };
  useEffect(() => {
    load({ from, to }).catch(setTrouble);
  }, []);
  const sum = (all: readonly UsageLine[]) => billedSeconds(all.reduce((sum, line) => sum + line.rendered_seconds, 0));
  return (
    <section class="card" aria-labelledby="usage">
      <h2 id="usage">Usage</h2>
      <Form label="Days" submit="Show" onSend={({ from = '', to = '' }) => load({ from, to })}>
        <Field label="From" name="from" type="date" value={from} required />
        <Field label="To, included" name="to" type="date" value={to} required />
      </Form>
      {lines && (
        <p>
          {`${amount(sum(lines))} seconds rendered from ${from} to ${to} (UTC).`}{' '}
          <a class="button" href={csvOf(lines)} download={`usage-${from}-${to}.csv`}>
            Download CSV
          </a>
        </p>
      )}
      <div class="lines" hidden={lines === null}>
        <Table
          label="lines of usage"
          rows={lines ?? []}
          columns={{
            Day: ({ day }) => day,
            Kind: ({ tier }) => tier,
            Picture: ({ resolution, fps, renderer }) => `${resolution}p, ${fps} fps${renderer ? `, ${renderer}` : ''}`,
            Seconds: ({ rendered_seconds }) => amount(rendered_seconds),
          }}
        />
      </div>
      <Trouble error={trouble} />
    </section>
  );
}

function csvOf(lines: readonly UsageLine[]): string {
  const rows = lines.map(({ day = '', tier, resolution, fps, renderer = null, rendered_seconds }) =>
    csvRow([day, tier, resolution, fps, renderer, rendered_seconds]),
  );
  const text = csvRow(['day', 'tier', 'resolution', 'fps', 'renderer', 'rendered_seconds']) + rows.join('');
  return `data:text/csv;charset=utf-8,${encodeURIComponent(text)}`;
}

interface Props {
  readonly client: Tickreel;
  readonly uploads: readonly UploadSummary[];
}

/** Shows the account's keys, rules, webhook secrets and usage. What the scope of the user's key forbids is disabled. */
export function Account({ client, uploads }: Props): JSX.Element {
  const [keys, setKeys] = useState<readonly OwnKey[]>([]);
  const [trouble, setTrouble] = useState<unknown>(null);
  const load = async () => {
    const all: OwnKey[] = [];
    for await (const key of client.keys.list({ limit: 200 })) all.push(key);
    setKeys(all);
  };
  useEffect(() => {
    load().catch(setTrouble);
  }, []);
  const own = keys.find(({ is_this }) => is_this);
  if (!own) return <Trouble error={trouble} />;
  return (
    <>
      <AccountKeys {...{ client, keys, own }} onChange={load} />
      <Rules {...{ client, uploads }} scope={own.scope} />
      <Receivers {...{ client }} scope={own.scope} />
      <AccountUsage client={client} />
    </>
  );
}
