import type { JSX } from 'preact';
import type { Controls } from '#client/operator-shapes.ts';
import { AskButton } from '../parts/ask.tsx';
import { Button, Table } from '../parts/components.tsx';
import { Fields, OperationForm, type OperationProps, perform } from './forms.tsx';
import { type ConsoleView, call, Notice, Time, type ViewTools } from './view.tsx';

/** What operators switch while the service runs. */
export const controlsView: ConsoleView = async (tools) => {
  const { maintenance, blocks } = await call('getControls');
  const { can, send } = tools;
  const maintain: OperationProps = {
    operation: 'beginMaintenance',
    tools,
    done: 'No new work is taken.',
    hints: { reason: 'The answers to clients have it.', until: 'Maintenance ends by itself then.' },
  };
  return (
    <>
      <h1>Maintenance and blocks</h1>
      {maintenance ? maintenanceNote(tools, maintenance) : <p class="hint">New work is taken.</p>}
      {can('operate') && !maintenance && (
        <AskButton
          text="Begin maintenance…"
          isDanger
          title="Take no new work?"
          what="Submits, inspections and uploads are answered with 503. Jobs that were taken go on, and so do viewers."
          submit="Begin maintenance"
          onAct={(typed) => perform(maintain, typed)}
        >
          <Fields {...maintain} />
        </AskButton>
      )}
      <h2>Blocked demos</h2>
      <Table
        label="blocked demos"
        rows={blocks}
        idOf={({ block_id }) => block_id}
        columns={{
          Address: ({ address }) => <span class="address">{address}</span>,
          Reason: ({ reason }) => reason,
          Since: ({ created_at }) => <Time at={created_at} />,
          By: ({ operator }) => operator,
          Actions: ({ block_id: id, address }) =>
            can('operate') && (
              <AskButton
                text="Remove"
                label={`Remove ${address}`}
                title="Fetch these demos again?"
                what={address}
                onAct={() => send('It is removed.', () => call('removeBlock', { params: { id } }))}
              />
            ),
        }}
      />
      <OperationForm
        {...{ operation: 'addBlock', tools, role: 'operate', label: 'New block', submit: 'Block it' }}
        done="It is blocked."
      />
    </>
  );
};

/** Says that there is maintenance, with a button that ends it. */
export function maintenanceNote(
  { can, run }: ViewTools,
  { reason, since, until, operator }: NonNullable<Controls['maintenance']>,
): JSX.Element {
  const end = () => run('Work is taken again.', () => call('endMaintenance'));
  return (
    <Notice
      title="Under maintenance: no new work is taken."
      tone="accent"
      action={can('operate') && <Button text="End maintenance" onClick={end} />}
    >
      {reason}. By {operator}, <Time at={since} />
      {until && [', ends ', <Time key="until" at={until} />]}.
    </Notice>
  );
}
