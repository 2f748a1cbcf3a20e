import type { JSX } from 'preact';
import type { OperatorOperations } from '#client/operator-shapes.ts';
import { Button } from '../components.tsx';
import { ago } from './format.ts';
import { call } from './operator.ts';
import { type ConsoleView, IdLink, List, Pill, type ViewTools } from './view.tsx';

/** Webhooks of all accounts that have not arrived. */
export const deliveriesView: ConsoleView = async (tools, route) => {
  const { deliveries, next_cursor } = await call('listTroubles', { query: route.query as Query });
  const canSendAll = tools.can('operate') && deliveries.length > 0;
  const sendAll = () =>
    confirm('Send every exhausted webhook again, of all accounts?') &&
    tools.run('All of them are on their way.', () => resend({ all: 'exhausted' }));
  return (
    <List
      title="Webhooks that do not arrive"
      {...{ route, label: 'failing webhooks', rows: deliveries, cursor: next_cursor }}
      intro={canSendAll && <Button text="Send all exhausted again" onClick={sendAll} />}
      columns={{
        Job: ({ job_id }) => <IdLink to="jobs" id={job_id} />,
        Account: ({ account_id }) => <IdLink to="accounts" id={account_id} />,
        State: ({ trouble }) => <Pill state={trouble} />,
        Since: ({ created_at }) => ago(created_at),
        Address: ({ delivery }) => <span class="address">{delivery?.url ?? '–'}</span>,
        'Last answer': ({ delivery }) => delivery?.attempts.at(-1)?.error ?? '–',
        Actions: ({ job_id }) => resendButton(tools, 'Send again', job_id),
      }}
    />
  );
};

type Query = OperatorOperations['listTroubles']['query'];

/** Returns the button that sends the last webhook of a job again. */
export function resendButton({ can, run }: ViewTools, text: string, jobId: string): JSX.Element | false {
  const send = () => run('It is on its way.', () => resend({ job_ids: [jobId] }));
  return can('operate') && <Button text={text} onClick={send} />;
}

/** Sends webhooks again, a hundred with each call. Throws at the end if some were refused. */
async function resend(which: OperatorOperations['resendTroubles']['body']): Promise<void> {
  const reasons: string[] = [];
  for (let more = {}; ; ) {
    const { refused, next_cursor: cursor } = await call('resendTroubles', { body: { ...which, ...more } });
    reasons.push(...refused.map(({ reason }) => reason));
    if (cursor === null) break;
    more = { cursor };
  }
  if (reasons.length > 0) throw new Error(`${reasons.length} not sent: ${[...new Set(reasons)].join(', ')}.`);
}
