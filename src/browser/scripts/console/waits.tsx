import type { JSX } from 'preact';
import type { JobStory, Overview } from '#client/operator-shapes.ts';
import { span } from '#domain/time-span.ts';
import { Table } from '../components.tsx';
import { amount } from './format.ts';
import { Pill } from './view.tsx';

/** Why jobs wait, by what they require of a host. */
export const WaitsTable = ({ waits }: Pick<Overview, 'waits'>): JSX.Element => (
  <>
    <h2>Why jobs wait</h2>
    <Table
      label="reasons for waiting"
      rows={waits}
      columns={{
        Jobs: ({ jobs }) => amount(jobs),
        'First for': ({ oldest_s }) => span(oldest_s),
        State: ({ reason }) => <Pill state={wordsOf(reason)} />,
        Why: ({ text }) => text,
      }}
    />
  </>
);

/** Why a job waits. */
export const WaitLine = ({ queue }: Pick<JobStory, 'queue'>): JSX.Element | null => {
  if (queue === null) return null;
  const { position, estimate_s, reason, text } = queue;
  const estimate = estimate_s === null ? '' : `, about ${span(estimate_s)}`;
  return (
    <p>
      <Pill state={wordsOf(reason)} /> {text}
      {position !== null && ` Position ${amount(position)}${estimate}.`}
    </p>
  );
};

const wordsOf = (reason: string) => reason.replaceAll('_', ' ');
