import type { JSX } from 'preact';
import type { Overview } from '#client/operator-shapes.ts';
import { Button } from '../components.tsx';
import { call } from './operator.ts';
import { Time, type ViewTools } from './view.tsx';

/** Returns where alerts are sent, and the button that tries it. */
export function receiverLine({ can, run }: ViewTools, { receiver, last_sent }: Overview['alerts']): JSX.Element {
  const test = () =>
    run('The test alert has arrived.', async () => {
      const { error } = await call('testAlerts', {});
      if (error !== null) throw new Error(`The test alert was not sent: ${error}.`);
    });
  return (
    <p>
      {receiver === null ? 'Alerts are not sent: ALERT_WEBHOOK_URL is not set. ' : `Alerts are sent to ${receiver}. `}
      {last_sent !== null && (
        <>
          The last one arrived <Time at={last_sent} />.{' '}
        </>
      )}
      {can('operate') && <Button text="Test alerts" onClick={test} />}
    </p>
  );
}
