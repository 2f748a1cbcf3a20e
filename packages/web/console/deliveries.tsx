import type { JSX } from 'preact';
import type { OperatorOperations } from '#client/operator-shapes.ts';
import { AskButton, inBatches, type RunningAct } from '../parts/ask.tsx';
import { Button } from '../parts/components.tsx';
import { type ConsoleView, call, List, NameLink, Pill, Time, type ViewTools } from './view.tsx';

/** Webhooks of all accounts that have not arrived. */
export const deliveriesView: ConsoleView = async (tools, route) => {
  const { deliveries, next_cursor } = await call('listTroubles', { query: route.query as Query });
  const canSendAll = tools.can('operate') && deliveries.length > 0;
  const sendAll = async (_: unknown, running: RunningAct) => {
    const { webhooks } = await call('getOverview', {});
    return tools.send('', () =>
      inBatches(running, webhooks.exhausted, async (cursor) => {
        const answer = await call('resendTroubles', { body: { all: 'exhausted', ...(cursor && { cursor }) } });
        return { ...answer, done: answer.resent };
      }),
    );
  };
  return (
    <List
      title="Webhooks that do not arrive"
      {...{ route, label: 'failing webhooks', rows: deliveries, cursor: next_cursor }}
      intro={
        canSendAll && (
          <p>
            <AskButton
              text="Send all exhausted again"
              title="Send every exhausted webhook again?"
              what="Of all accounts, a hundred at a time."
              onAct={sendAll}
            />
          </p>
        )
      }
      idOf={({ job_id }) => job_id}
      columns={{
        Job: ({ job_id }) => <NameLink to="jobs" id={job_id} />,
        Account: ({ account_id, account_name }) => <NameLink to="accounts" id={account_id} name={account_name} />,
        State: ({ trouble }) => <Pill state={trouble} />,
        Since: ({ created_at }) => <Time at={created_at} />,
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
  const send = () =>
    run('It is on its way.', async () => {
      const { refused } = await call('resendTroubles', { body: { job_ids: [jobId] } });
      if (refused[0]) throw new Error(`It is not sent: ${refused[0].reason}.`);
    });
  return can('operate') && <Button text={text} onClick={send} />;
}
