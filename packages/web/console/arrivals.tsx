import type { OperatorOperations } from '#client/operator-shapes.ts';
import { Table } from '../parts/components.tsx';
import { bytes } from '../parts/format.ts';
import { type ConsoleView, call, NameLink, Pill, Time } from './view.tsx';

/** Demos that arrive now, and those that were refused within a week. */
export const arrivalsView: ConsoleView = async (_, { query }) => {
  const { arrivals } = await call('listArrivals', { query: query as OperatorOperations['listArrivals']['query'] });
  return (
    <>
      <h1>Demos that arrive</h1>
      <p class="hint">Those that are being sent, then those of game servers that were refused within a week.</p>
      <Table
        label="demos"
        rows={arrivals}
        columns={{
          Demo: ({ name }) => name,
          Account: ({ account_id, account_name }) => <NameLink to="accounts" id={account_id} name={account_name} />,
          State: ({ state }) => <Pill state={state} />,
          Size: ({ bytes: all, stored_bytes: stored }) =>
            all === null ? '–' : `${stored === null ? '' : `${bytes(stored)} of `}${bytes(all)}`,
          Since: ({ at }) => <Time at={at} />,
          Reason: ({ status, reason, times }) =>
            reason && `${status}: ${reason}${times > 1 ? ` (${times} times)` : ''}`,
        }}
      />
    </>
  );
};
