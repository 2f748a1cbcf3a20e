import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { OperatorOperations } from '#client/operator-shapes.ts';
import { span } from '#domain/lib/text.ts';
import { AskButton, inBatches, type RunningAct } from '../parts/ask.tsx';
import { Field } from '../parts/components.tsx';
import { amount, messageOf } from '../parts/format.ts';
import { call, type HashRoute, Pill, type ViewTools } from './view.tsx';

type RetryFilter = Omit<OperatorOperations['resubmitJobs']['body'], 'job_ids' | 'all' | 'dry_run' | 'cursor'>;

/** Returns the button that runs the jobs of a filtered list again, unless its filter excludes finished ones. */
export function retryButton({ can, send }: ViewTools, { query }: HashRoute): JSX.Element | false {
  const { account, tier, error_code, created_from, created_to, status = 'error' } = query;
  const isFinished = status === 'error' || status === 'done';
  const given = Object.entries({ account, tier, error_code, created_from, created_to, status });
  const filter: RetryFilter = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  const retry = ({ total, ...values }: Record<string, string>, running: RunningAct) =>
    send('', () =>
      inBatches(running, total === undefined ? null : Number(total), async (cursor) => {
        const body = { all: true, ...filter, ...values, ...(cursor && { cursor }) } as const;
        const answer = await call('resubmitJobs', { body });
        return { ...answer, done: answer.jobs };
      }),
    );
  return (
    can('operate') &&
    isFinished && (
      <p>
        <AskButton
          text="Retry these…"
          isDanger={status === 'done'}
          title={status === 'done' ? 'Make these clips again?' : 'Run these jobs again?'}
          submit="Run them again"
          what={
            <>
              All jobs of this filter, also those on further pages:{' '}
              {Object.entries(filter).map(([name, value]) => (
                <Pill key={name} state={`${name.replaceAll('_', ' ')} ${value}`} />
              ))}
              .{error_code === undefined && status === 'error' && ' Only those with a code that another run may mend.'}
            </>
          }
          onAct={retry}
        >
          <RetryFields filter={filter} />
        </AskButton>
      </p>
    )
  );
}

/** Two more fields of the filter, and what the retry would do: counted anew after each change of a field. */
function RetryFields({ filter }: { readonly filter: RetryFilter }): JSX.Element {
  const [more, setMore] = useState<{ host?: string; build?: string }>({});
  const [words, setWords] = useState('');
  const [total, setTotal] = useState<number | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    setTotal(null);
    setWords('Counting…');
    countRetry({ ...filter, ...more }, stop.signal).then(
      (count) => {
        if (stop.signal.aborted) return;
        setTotal(count.jobs);
        setWords(wordsOf(count));
      },
      (error: unknown) => !stop.signal.aborted && setWords(messageOf(error)),
    );
    return () => stop.abort();
  }, [more]);
  const change = ({ currentTarget: { name, value } }: { readonly currentTarget: HTMLInputElement }) =>
    setMore(({ [name as 'host']: _, ...rest }) => ({ ...rest, ...(value.trim() && { [name]: value.trim() }) }));
  return (
    <>
      <Field label="Host (its id)" name="host" onChange={change} hint="Only jobs that it tried last." />
      <Field label="Build of the game" name="build" onChange={change} hint="Only jobs that were tried with it." />
      <input type="hidden" name="total" value={total ?? ''} />
      <p role="status">{words}</p>
    </>
  );
}

/** Adds up what a retry would do. */
async function countRetry(filter: RetryFilter, signal: AbortSignal) {
  const sum = { jobs: 0, reserved: 0, webhooks: 0, seconds: 0, unknown_seconds: 0, refused: 0 };
  let cursor: string | null | undefined;
  do {
    const body = { all: true, dry_run: true, ...filter, ...(cursor && { cursor }) } as const;
    const page = await call('resubmitJobs', { body });
    const counts = { ...page, refused: page.refused.length };
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += counts[name];
    cursor = page.next_cursor;
  } while (cursor !== null && !signal.aborted);
  return sum;
}

function wordsOf({
  jobs,
  reserved,
  webhooks,
  seconds,
  unknown_seconds,
  refused,
}: Awaited<ReturnType<typeof countRetry>>) {
  const rest = unknown_seconds === 0 ? '' : `, and ${amount(unknown_seconds)} clips of unknown length`;
  return [
    `${amount(jobs)} jobs, ${amount(reserved)} of them under slots of their accounts.`,
    `${amount(webhooks)} webhooks will be sent. Billed if all succeed: ${span(seconds)} of clip${rest}.`,
    ...(refused === 0 ? [] : [`${amount(refused)} more cannot run again now.`]),
  ].join(' ');
}
